package org.mqproof.cluster.process;

import eu.maveniverse.maven.mima.context.Context;
import eu.maveniverse.maven.mima.context.ContextOverrides;
import eu.maveniverse.maven.mima.context.Runtimes;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.aether.RepositoryException;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.DependencyNode;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.TransferEvent;
import org.eclipse.aether.util.filter.DependencyFilterUtils;
import org.eclipse.aether.util.graph.visitor.PreorderNodeListGenerator;
import org.mqproof.cluster.ClusterException;

/**
 * The jars of a broker, or of a vendor's own tool, from the local Maven repository or else from
 * Maven Central, found as Maven itself would: settings.xml, mirrors, proxies and credentials count.
 * Once they are in the local repository no network is needed. Thread-safe: no state.
 */
public final class MavenClassPath {

  private static final String RUNTIME = "runtime";

  private MavenClassPath() {}

  /**
   * Resolves artifacts with their runtime dependencies.
   *
   * @param what for messages, for example {@code "Kafka 4.4.0"}
   * @param coordinates each as {@code group:artifact:version}
   * @param excluded what to leave out, each as {@code group:artifact}
   * @param progress is given a line now and then while jars are downloaded, and none when all are
   *     here
   * @return the jars, in the order of the class path
   * @throws ClusterException if something can neither be found nor downloaded
   */
  public static List<Path> resolve(
      String what, List<String> coordinates, List<String> excluded, Consumer<String> progress) {
    return resolve(what, coordinates, excluded, List.of(), progress);
  }

  /**
   * Resolves artifacts whose versions a product's parent POM decides, as a build of that product
   * would.
   *
   * @param what for messages, for example {@code "Pulsar 4.2.4"}
   * @param coordinates each as {@code group:artifact:version}
   * @param excluded what to leave out, each as {@code group:artifact}
   * @param managedBy POMs whose managed dependencies count, each as {@code group:artifact:version}
   * @param progress is given a line now and then while jars are downloaded, and none when all are
   *     here
   * @return the jars, in the order of the class path
   * @throws ClusterException if something can neither be found nor downloaded
   */
  public static List<Path> resolve(
      String what,
      List<String> coordinates,
      List<String> excluded,
      List<String> managedBy,
      Consumer<String> progress) {
    return resolve(
        what,
        coordinates,
        excluded,
        managedBy,
        progress,
        ContextOverrides.create()
            .withUserSettings(true)
            .repositories(List.of(ContextOverrides.CENTRAL)));
  }

  /** As above, with repositories and settings of the caller's choice. */
  static List<Path> resolve(
      String what,
      List<String> coordinates,
      List<String> excluded,
      List<String> managedBy,
      Consumer<String> progress,
      ContextOverrides.Builder maven) {
    Progress downloads = new Progress(what, progress);
    ContextOverrides overrides =
        maven
            .checksumPolicy(ContextOverrides.ChecksumPolicy.FAIL)
            .transferListener(downloads)
            .build();
    try (Context context = Runtimes.INSTANCE.getRuntime().create(overrides)) {
      RepositorySystem system = context.repositorySystem();
      RepositorySystemSession session = context.repositorySystemSession();
      CollectRequest collect = new CollectRequest().setRepositories(context.remoteRepositories());
      List<Exclusion> exclusions = excluded.stream().map(MavenClassPath::exclusion).toList();
      coordinates.forEach(
          artifact ->
              collect.addDependency(
                  new Dependency(new DefaultArtifact(artifact), RUNTIME, false, exclusions)));
      for (String pom : managedBy) {
        String[] parts = pom.split(":", 3);
        system
            .readArtifactDescriptor(
                session,
                new ArtifactDescriptorRequest(
                    new DefaultArtifact(parts[0], parts[1], "pom", parts[2]),
                    context.remoteRepositories(),
                    RUNTIME))
            .getManagedDependencies()
            .forEach(collect::addManagedDependency);
      }
      DependencyNode root = system.collectDependencies(session, collect).getRoot();
      PreorderNodeListGenerator jars = new PreorderNodeListGenerator();
      root.accept(jars);
      downloads.expect(jars.getDependencies(true).size());
      return system
          .resolveDependencies(
              session, new DependencyRequest(root, DependencyFilterUtils.classpathFilter(RUNTIME)))
          .getArtifactResults()
          .stream()
          .map(result -> result.getArtifact().getFile().toPath())
          .toList();
    } catch (RepositoryException e) {
      throw new ClusterException(
          "cannot resolve %s from Maven Central: %s; run once with the network, then it works offline"
              .formatted(what, reason(e)),
          e);
    }
  }

  /**
   * The innermost sentence names the artifact and the address; the outer ones only say "failed".
   */
  private static String reason(RepositoryException e) {
    String reason = String.valueOf(e.getMessage());
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof ArtifactResolutionException) {
        reason = String.valueOf(cause.getMessage());
      }
    }
    return reason;
  }

  private static Exclusion exclusion(String groupAndArtifact) {
    String[] parts = groupAndArtifact.split(":", 2);
    return new Exclusion(parts[0], parts[1], "*", "*");
  }

  /** Counts downloads, and tells of them twice a second. Thread-safe: several jars come at once. */
  private static final class Progress extends AbstractTransferListener {

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String what;
    private final Consumer<String> lines;
    private int expected;
    private int jars;
    private long bytes;
    private long toldAtNanos = System.nanoTime() - INTERVAL_NANOS;

    Progress(String what, Consumer<String> lines) {
      this.what = what;
      this.lines = lines;
    }

    synchronized void expect(int classPathJars) {
      expected = classPathJars;
    }

    @Override
    public synchronized void transferSucceeded(TransferEvent event) {
      if (!event.getResource().getResourceName().endsWith(".jar")) {
        return; // a POM or a checksum
      }
      jars++;
      bytes += event.getTransferredBytes();
      long now = System.nanoTime();
      if (now - toldAtNanos >= INTERVAL_NANOS || jars == expected) {
        toldAtNanos = now;
        lines.accept(
            String.format(
                Locale.ROOT,
                "resolving %s: %d of %d jars, %.1f MB",
                what,
                jars,
                expected,
                bytes / 1e6));
      }
    }
  }
}
