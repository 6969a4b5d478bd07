package org.mqproof.cluster.nats;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.RandomHex;

/** A NATS cluster, each node a child process. Thread-safe, as {@link Cluster} says. */
final class NatsCluster extends ProcessCluster {

  private final String password;
  private final NatsProbe probe;

  private NatsCluster(String version, ClusterHome home, String password) {
    super("NATS", version, NatsNodes.addresses(home), home);
    this.password = password;
    probe = new NatsProbe(home, password);
  }

  static NatsCluster start(Path program, String version, boolean syncAlways) {
    return start(
        "nats",
        NatsNodes.COUNT,
        home -> {
          String password = RandomHex.of(16);
          NatsNodes.addTo(home, program, password, syncAlways);
          return new NatsCluster(version, home, password);
        });
  }

  @Override
  public String system() {
    return "nats";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "servers", NatsNodes.addresses(home), "username", NatsNodes.USER, "password", password);
  }

  /** The ports are the same. */
  @Override
  protected Map<String, String> securedSettings(Access access) {
    return access == Access.LEAST ? Map.of("username", Access.LEAST_USER) : Map.of();
  }

  @Override
  public int leader(String queue) {
    return awaitOne("leader of " + queue, () -> probe.leader(queue));
  }

  @Override
  protected List<String> notReady() throws InterruptedException {
    return probe.notReady();
  }
}
