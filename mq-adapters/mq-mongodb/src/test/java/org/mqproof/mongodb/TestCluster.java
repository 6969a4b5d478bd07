package org.mqproof.mongodb;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/**
 * One cluster for all test classes of a JVM, closed after the last of them. Where MongoDB is not
 * installed, the class is skipped, and says what to install. Thread-safe as JUnit's stores are.
 */
final class TestCluster implements BeforeAllCallback {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestCluster.class);

  private static volatile Map<String, String> settings = Map.of();

  @Override
  public void beforeAll(ExtensionContext context) {
    ClusterProvider provider = ClusterProvider.named("mongodb");
    provider
        .whyUnavailable()
        .ifPresent(
            why -> {
              System.err.println("skipped: " + why); // Maven prints no reason of a skipped class
              Assumptions.abort(why);
            });
    settings =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(
                provider.system(), system -> provider.start(Tuning.FAST), Cluster.class)
            .settings();
  }

  /** Where the cluster is. */
  static Map<String, String> settings() {
    return settings;
  }
}
