package org.mqproof.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension: one cluster of a system for all test classes of a JVM that register it. It is
 * closed at the end, or when no class uses it and another needs a cluster of another kind: classes
 * of one system should follow each other. Needs JUnit, which this artifact does not bring.
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

  /**
   * The system property that lists the systems, with commas, that must not be skipped; {@code
   * network} among them stands for the faults of the network, {@code power} for cuts of the power.
   */
  public static final String REQUIRED_PROPERTY = "mqproof.required";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestCluster.class);

  private final String system;
  private final Map<String, String> variant;
  private volatile @Nullable Cluster cluster;

  private TestCluster(String system, Map<String, String> variant) {
    this.system = system;
    this.variant = variant;
  }

  /**
   * An extension that starts a cluster before the first class that needs one.
   *
   * @param system the name of a {@link ClusterProvider}
   * @return the extension, to be kept in a static field
   */
  public static TestCluster of(String system) {
    return of(system, Map.of());
  }

  /**
   * An extension that starts a cluster of a variant before the first class that needs one.
   *
   * @param system the name of a {@link ClusterProvider}
   * @param variant system properties of the provider, and their values
   * @return the extension, to be kept in a static field
   */
  public static TestCluster of(String system, Map<String, String> variant) {
    return new TestCluster(system, variant);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    ClusterProvider provider = runnable(system);
    SharedClusters.Use use =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(
                SharedClusters.class, key -> new SharedClusters(), SharedClusters.class)
            .use(system + variant, () -> start(provider, variant));
    context.getStore(NAMESPACE).put(this, use); // closed after the class
    cluster = use.cluster();
  }

  /**
   * What a client needs to connect.
   *
   * @return the cluster's settings; empty before the first test class
   */
  public Map<String, String> settings() {
    return ofStarted(Cluster::settings, Map.of());
  }

  /**
   * What a client needs to connect in one of several ways.
   *
   * @param access how it gets in
   * @return the cluster's settings; empty before the first test class
   * @throws UnsupportedOperationException if the cluster has no such way
   */
  public Map<String, String> settings(Access access) {
    return ofStarted(started -> started.settings(access), Map.of());
  }

  /**
   * The system.
   *
   * @return the name of its {@link ClusterProvider} and its adapter
   */
  public String system() {
    return system;
  }

  /**
   * The version of the broker that runs.
   *
   * @return for example {@code "4.4.0"}; empty before the first test class
   */
  public String version() {
    return ofStarted(Cluster::version, "");
  }

  /**
   * How many nodes there are.
   *
   * @return their number; 0 before the first test class
   */
  public int nodes() {
    return ofStarted(Cluster::nodes, 0);
  }

  private <T> T ofStarted(Function<Cluster, T> value, T before) {
    Cluster started = cluster;
    return started == null ? before : value.apply(started);
  }

  /**
   * Ends every connection of this JVM to the cluster as a network does that fails: both ends get an
   * error, and neither can say what the other one has got. The nodes go on, and new connections can
   * be made. Needs Linux, root and {@code ss} (iproute2).
   *
   * @param access the connections that came in this way
   * @return how many it ended; 0 also where it cannot
   */
  public int breakConnections(Access access) {
    return Connections.breakTo(settings(access).values());
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

  /**
   * Starts a cluster of a variant, for a test that has one of its own. Not for two threads at once.
   *
   * @param provider of the system
   * @param variant system properties of the provider, and their values; they are set while the
   *     cluster starts
   * @return a cluster for tests, for the caller to close; a test is skipped if the variant asks for
   *     networks or disks that nodes cannot have here
   */
  public static Cluster start(ClusterProvider provider, Map<String, String> variant) {
    Map<String, Optional<String>> before = new HashMap<>();
    variant.forEach(
        (property, value) ->
            before.put(property, Optional.ofNullable(System.setProperty(property, value))));
    try {
      Facility.all().stream()
          .filter(facility -> Boolean.getBoolean(facility.property()))
          .forEach(TestCluster::require);
      return provider.start(Tuning.FAST);
    } finally {
      before.forEach(
          (property, value) ->
              value.ifPresentOrElse(
                  old -> System.setProperty(property, old), () -> System.clearProperty(property)));
    }
  }

  static ClusterProvider runnable(ClusterProvider provider, String required) {
    requireNoneMissing(
        provider.system(),
        "no cluster of " + provider.system() + ": ",
        provider.whyUnavailable(),
        required);
    return provider;
  }

  /**
   * Skips the test if nodes cannot have a facility here.
   *
   * @param facility its name
   * @throws IllegalStateException if they cannot and {@value #REQUIRED_PROPERTY} lists it
   * @throws java.util.NoSuchElementException if there is none of that name
   */
  public static void require(String facility) {
    require(
        Facility.all().stream().filter(f -> f.name().equals(facility)).findFirst().orElseThrow());
  }

  private static void require(Facility facility) {
    requireNoneMissing(
        facility.name(),
        facility.without() + ": ",
        facility.whyUnavailable(),
        System.getProperty(REQUIRED_PROPERTY, ""));
  }

  private static void requireNoneMissing(
      String name, String consequence, Optional<String> missing, String required) {
    if (missing.isPresent()) {
      String why = consequence + missing.orElseThrow();
      if (List.of(required.split(",")).contains(name)) {
        throw new IllegalStateException(why);
      }
      System.err.println("skipped: " + why); // Maven prints no reason of a skipped class
      Assumptions.abort(why);
    }
  }
}
