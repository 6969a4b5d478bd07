package org.mqproof.jmh;

import java.io.PrintStream;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.UsageException;

/**
 * Starts a cluster for other programs and keeps it until this JVM is told to end. For one thread.
 */
final class ClusterCommand implements Command {

  static final String HELP =
      """
      cluster SYSTEM
        Starts a cluster of SYSTEM on this machine and prints its settings, one KEY=VALUE per line:
        what an adapter connects with. Passwords are in files that only their owner reads. Everything
        else goes to the standard error stream.
        Ctrl-C, or SIGTERM, ends the nodes and deletes their data.
        -Dmqproof.nodes=containers, before -jar, makes the nodes containers of the Docker engine.
      Example: java -jar benchmarks.jar cluster kafka
      """;

  private final Secrets secrets;
  private final PrintStream out;

  ClusterCommand(Secrets secrets, PrintStream out) {
    this.secrets = secrets;
    this.out = out;
  }

  /** Returns when the cluster has been closed, which only an interrupt of this thread does. */
  @Override
  public int run(List<String> args) throws UsageException {
    if (args.size() != 1) {
      throw new UsageException("cluster takes one system; see cluster --help");
    }
    ClusterProvider provider;
    try {
      provider = ClusterProvider.named(args.get(0));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    String missing = provider.whyUnavailable().orElse("");
    if (!missing.isEmpty()) {
      throw new UsageException(missing);
    }
    try (Cluster cluster = provider.start(Tuning.DEFAULT)) {
      new TreeMap<>(secrets.hidden(cluster.settings()))
          .forEach((key, value) -> out.println(key + "=" + value));
      out.flush();
      System.err.printf(
          "%s %s, nodes: %d, in %s; Ctrl-C ends it%n",
          cluster.system(), cluster.version(), cluster.nodes(), cluster.directory());
      new CountDownLatch(1).await(); // without bound: the user says when
    } catch (ClusterException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return PROVEN;
  }
}
