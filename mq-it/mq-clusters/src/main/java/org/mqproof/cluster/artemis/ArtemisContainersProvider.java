package org.mqproof.cluster.artemis;

import java.util.Optional;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.ContainersProvider;

/**
 * Starts an Artemis pair as {@link ArtemisClusterProvider} does, with containers for nodes. The
 * lock is a file in a directory of this machine, which they share.
 *
 * <p>The image is {@code apache/artemis}, in the same version, unless the system property {@code
 * mqproof.artemis.image} names another one with its tag, or {@code mqproof.images} is {@code
 * local}, which stands for what {@code mq-it/images/build} makes. It must be there: nothing is
 * pulled.
 */
public final class ArtemisContainersProvider extends ContainersProvider {

  /** For {@link java.util.ServiceLoader}. */
  public ArtemisContainersProvider() {
    super(
        "artemis",
        "artemis",
        "apache/artemis:" + ArtemisClusterProvider.VERSION,
        ArtemisClusterProvider.VERSION);
  }

  @Override
  protected Optional<String> whyNoClient() {
    return new ArtemisClusterProvider().whyUnavailable();
  }

  @Override
  protected Cluster start(String image, Tuning tuning) {
    return ArtemisCluster.startContainers(image, ArtemisClusterProvider.journal(), tuning);
  }
}
