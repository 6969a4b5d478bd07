package org.mqproof.sqs;

import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/**
 * One cluster for all test classes of a JVM, closed after the last of them. Thread-safe as JUnit's
 * stores are.
 */
final class TestCluster implements BeforeAllCallback {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestCluster.class);

  private static volatile Map<String, String> settings = Map.of();

  @Override
  public void beforeAll(ExtensionContext context) {
    settings =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent("sqs", TestCluster::start, Cluster.class)
            .settings();
  }

  private static Cluster start(String system) {
    ClusterProvider provider = ClusterProvider.named(system);
    provider
        .whyUnavailable()
        .ifPresent(
            why -> {
              throw new IllegalStateException(why);
            });
    return provider.start(Tuning.FAST);
  }

  /** Where the cluster is. */
  static Map<String, String> settings() {
    return settings;
  }
}
