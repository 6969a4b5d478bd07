package org.mqproof.cluster.pulsar;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.Security;

/** A Pulsar cluster, each node a child JVM. Thread-safe, as {@link Cluster} says. */
final class PulsarCluster extends ProcessCluster {

  private static final Duration TOKEN_LIFE = Duration.ofHours(12);

  private final PulsarProbe probe;

  private PulsarCluster(String version, ClusterHome home) {
    super("Pulsar", version, PulsarNodes.serviceUrl(home), home);
    probe = new PulsarProbe(home);
  }

  static PulsarCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = PulsarNodes.resolve(version, progress);
    return start(
        "pulsar",
        home -> {
          PulsarNodes.addTo(home, jars, tuning);
          return new PulsarCluster(version, home);
        });
  }

  @Override
  public String system() {
    return "pulsar";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "service.url", PulsarNodes.serviceUrl(home), "admin.url", PulsarNodes.adminUrl(home));
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "service.url", PulsarNodes.securedServiceUrl(home),
                "admin.url", PulsarNodes.securedAdminUrl(home)));
    if (access != Access.CERTIFICATE) {
      String user = access == Access.LEAST ? Access.LEAST_USER : Security.USER;
      Duration life = access == Access.ENDED_TOKEN ? TOKEN_LIFE.negated() : TOKEN_LIFE;
      settings.put("token", home.security().orElseThrow().authority().token(user, life));
    }
    return settings;
  }

  /** The node whose broker owns the queue's topic. */
  @Override
  public int leader(String queue) {
    return awaitOne("owner of " + queue, () -> owner(queue));
  }

  /** What the first node says that knows. */
  private OptionalInt owner(String queue) {
    return IntStream.rangeClosed(1, nodes())
        .filter(node -> home.node(node).isRunning())
        .mapToObj(node -> probe.owner(queue, node))
        .flatMapToInt(OptionalInt::stream)
        .findFirst();
  }

  @Override
  protected List<String> notReady() throws InterruptedException {
    return probe.notReady();
  }
}
