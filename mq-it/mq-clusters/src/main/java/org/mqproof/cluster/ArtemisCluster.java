package org.mqproof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** An Artemis pair that replicates, each node a child JVM. Thread-safe, as {@link Cluster} says. */
final class ArtemisCluster extends ProcessCluster {

  private static final Duration FAIL_OVER_BOUND = Duration.ofSeconds(20);

  private final String addresses;

  private ArtemisCluster(String version, String addresses, ClusterHome home) {
    super("Artemis", version, addresses, home);
    this.addresses = addresses;
  }

  static ArtemisCluster start(
      String version, ArtemisNodes.Journal journal, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = new ArrayList<>(ArtemisNodes.resolve(version, progress));
    Path distribution = ArtemisNodes.resolveDistribution(version, progress);
    return start(
        "artemis",
        home -> {
          Path lockManager = home.directory().resolve("artemis-lockmanager-ri.jar");
          TarGz.extract(
              distribution, "/lib/artemis-lockmanager-ri-" + version + ".jar", lockManager);
          jars.add(lockManager);
          ArtemisNodes.addTo(home, jars, journal, tuning);
          String addresses = ArtemisNodes.address(home, 1) + "," + ArtemisNodes.address(home, 2);
          return new ArtemisCluster(version, addresses, home);
        });
  }

  @Override
  public String system() {
    return "artemis";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("addresses", addresses);
  }

  /** The active node, of which every queue is; a paused one keeps the lock and stays active. */
  @Override
  public int leader(String queue) {
    return awaitOne("active node", FAIL_OVER_BOUND, this::active);
  }

  private OptionalInt active() {
    return IntStream.rangeClosed(1, nodes()).filter(this::isActive).findFirst();
  }

  private boolean isActive(int node) {
    String log = home.node(node).logOfThisRun();
    return home.node(node).isAlive()
        && log.lastIndexOf(ArtemisNodeMain.ACTIVE) > log.lastIndexOf(ArtemisNodeMain.PASSIVE);
  }

  @Override
  List<String> notReady() {
    int[] active = IntStream.rangeClosed(1, nodes()).filter(this::isActive).toArray();
    if (active.length != 1) {
      return List.of("%d nodes are active, not 1".formatted(active.length));
    }
    return ArtemisProbe.notReady(ArtemisNodes.address(home, active[0])).stream().toList();
  }
}
