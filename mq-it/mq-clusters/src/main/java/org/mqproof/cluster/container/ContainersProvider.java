package org.mqproof.cluster.container;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/**
 * Starts clusters of one system with containers for nodes, where Docker and the image are there.
 * Thread-safe: no state but names.
 */
public abstract class ContainersProvider implements ClusterProvider {

  private final String system;
  private final String product;
  private final String official;
  private final String localVersion;

  /**
   * For one system.
   *
   * @param system its name
   * @param product the name of its image, as {@link Image} has it
   * @param official the usual image, with its tag, which begins with the broker's version
   * @param localVersion the version that {@code mq-it/images/build} makes
   */
  protected ContainersProvider(
      String system, String product, String official, String localVersion) {
    this.system = system;
    this.product = product;
    this.official = official;
    this.localVersion = localVersion;
  }

  /**
   * Why no client can talk to the system here.
   *
   * @return empty if one can; else one sentence
   */
  protected abstract Optional<String> whyNoClient();

  /**
   * Starts a cluster of an image that is there.
   *
   * @param image with its tag
   * @param tuning for numbers, or for tests
   * @return a cluster that is ready
   */
  protected abstract Cluster start(String image, Tuning tuning);

  @Override
  public final String system() {
    return system;
  }

  @Override
  public final String nodes() {
    return CONTAINERS;
  }

  @Override
  public final Optional<String> whyUnavailable() {
    return whyNoClient()
        .or(
            () ->
                new Docker(System.getenv()).whyUnavailable(image(), Image.help(product, image())));
  }

  @Override
  public final Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return start(image(), tuning);
  }

  private String image() {
    return Image.of(product, official, localVersion);
  }
}
