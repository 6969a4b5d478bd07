package org.mqproof.cluster.sqs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;

/** One ElasticMQ node, in a child JVM or a container. Thread-safe, as {@link Cluster} says. */
final class ElasticMqCluster extends ProcessCluster {

  private final String endpoint;
  private final ElasticMqProbe probe;

  private ElasticMqCluster(String version, String endpoint, ClusterHome home) {
    super("ElasticMQ", version, endpoint, home);
    this.endpoint = endpoint;
    probe = new ElasticMqProbe(endpoint);
  }

  static ElasticMqCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = ElasticMqNodes.resolve(version, progress);
    return start(
        "sqs",
        1,
        home -> {
          ElasticMqNodes.addTo(home, jars, tuning);
          return new ElasticMqCluster(version, ElasticMqNodes.endpoint(home), home);
        });
  }

  static ElasticMqCluster startContainers(String image, Tuning tuning) {
    return start(
        "sqs",
        home -> {
          ElasticMqNodes.addTo(home, image, tuning);
          return new ElasticMqCluster(Image.tag(image), ElasticMqNodes.endpoint(home), home);
        });
  }

  @Override
  public String system() {
    return "sqs";
  }

  /** ElasticMQ checks no signature, so requests need none, and no credentials are made up. */
  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "endpoint", endpoint, "region", ElasticMqNodes.REGION, "credentials", "anonymous");
  }

  /** The only node, dead or alive. */
  @Override
  public int leader(String queue) {
    home.requireOpen();
    return 1;
  }

  @Override
  protected List<String> notReady() {
    try {
      probe.sendAndReceive();
      return List.of();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }
}
