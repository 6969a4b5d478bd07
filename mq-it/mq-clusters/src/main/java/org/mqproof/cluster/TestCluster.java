package org.mqproof.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension: one cluster of a system for all test classes of a JVM that register it, closed
 * after the last of them. Needs JUnit, which this artifact does not bring.
 *
 * <pre>{@code
 * @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("kafka");
 * }</pre>
 *
 * <p>Where the system cannot run, the class is skipped, with one line on the standard error stream
 * that says why. The system property {@value #REQUIRED_PROPERTY} turns such skips into failures: a
 * CI that means to prove a system cannot lose it unseen.
 *
 * <p>Thread-safe as JUnit's stores are.
 */
public final class TestCluster implements BeforeAllCallback {

  /** The system property that lists the systems, with commas, that must not be skipped. */
  public static final String REQUIRED_PROPERTY = "mqproof.required";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestCluster.class);

  private final String system;
  private volatile Map<String, String> settings = Map.of();

  private TestCluster(String system) {
    this.system = system;
  }

  /**
   * An extension that starts a cluster before the first class that needs one.
   *
   * @param system the name of a {@link ClusterProvider}
   * @return the extension, to be kept in a static field
   */
  public static TestCluster of(String system) {
    return new TestCluster(system);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    ClusterProvider provider = runnable(system);
    settings =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(system, name -> provider.start(Tuning.FAST), Cluster.class)
            .settings();
  }

  /**
   * What a client needs to connect.
   *
   * @return the cluster's settings; empty before the first test class
   */
  public Map<String, String> settings() {
    return settings;
  }

  /**
   * The provider of a system, for a test that starts a cluster of its own; a test of a system that
   * cannot run here is skipped.
   *
   * @param system the name of a {@link ClusterProvider}
   * @return a provider that knows of nothing that is missing
   * @throws IllegalStateException if something is missing and {@value #REQUIRED_PROPERTY} lists the
   *     system
   */
  public static ClusterProvider runnable(String system) {
    return runnable(ClusterProvider.named(system), System.getProperty(REQUIRED_PROPERTY, ""));
  }

  static ClusterProvider runnable(ClusterProvider provider, String required) {
    Optional<String> missing = provider.whyUnavailable();
    if (missing.isPresent()) {
      String why = "no cluster of " + provider.system() + ": " + missing.orElseThrow();
      if (List.of(required.split(",")).contains(provider.system())) {
        throw new IllegalStateException(why);
      }
      System.err.println("skipped: " + why); // Maven prints no reason of a skipped class
      Assumptions.abort(why);
    }
    return provider;
  }
}
