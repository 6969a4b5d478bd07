package org.mqproof.cluster.rocketmq;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;

/** RocketMQ brokers of one name, each a child JVM. Thread-safe, as {@link Cluster} says. */
final class RocketMqCluster extends ProcessCluster {

  private final RocketMqProbe probe;

  private RocketMqCluster(String version, ClusterHome home) {
    super("RocketMQ", version, RocketMqNodes.nameServers(home), home);
    probe = new RocketMqProbe(home);
  }

  static RocketMqCluster start(
      String version, boolean flushSync, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = RocketMqNodes.resolve(version, progress);
    return start(
        "rocketmq",
        RocketMqNodes.COUNT,
        home -> {
          RocketMqNodes.addTo(home, jars, flushSync, tuning);
          return new RocketMqCluster(version, home);
        });
  }

  @Override
  public String system() {
    return "rocketmq";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of("name.servers", RocketMqNodes.nameServers(home), "broker", RocketMqNodes.BROKER);
  }

  /** The broker that leads the others, whatever the queue. */
  @Override
  public int leader(String queue) {
    return awaitOne("leader", probe::leader);
  }

  @Override
  protected List<String> notReady() throws InterruptedException {
    return probe.notReady();
  }
}
