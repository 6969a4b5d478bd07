package org.mqproof.cluster.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.security.Security;

/**
 * A cluster whose nodes are child processes or containers, and every verb that is the same for all
 * systems. What differs is how nodes are made and when they are ready.
 *
 * <p>To add a system of your own, extend this class and register a {@link ClusterProvider} that
 * makes it:
 *
 * <pre>{@code
 * Cluster start(Tuning tuning, Consumer<String> progress) {
 *   return ProcessCluster.start("mine", home -> {
 *     for (int node = 1; node <= 3; node++) {
 *       Path directory = Files.createDirectories(home.directory(node));
 *       Path data = Files.createDirectories(directory.resolve("data"));
 *       home.onDisk(data, node); // so that its power can be cut
 *       int port = home.port(node);
 *       home.add(
 *           NodeProcess.whenTold(List.of("mined", "--listen", home.host(node) + ":" + port))
 *               .directory(directory.toFile()));
 *     }
 *     return new MyCluster(home);
 *   });
 * }
 * }</pre>
 *
 * <p>What is left to write is {@link #notReady()}, {@link #plainSettings()}, {@link #system()} and
 * {@link #leader}. With the number of nodes as a second argument of {@code start}, nodes can have
 * networks of their own; they must then listen at {@link ClusterHome#host}.
 *
 * <p>Thread-safe, as {@link Cluster} says, if {@link #notReady()} is.
 */
public abstract class ProcessCluster implements Cluster {

  /** How long a cluster may take to become ready, on a machine that is busy with many of them. */
  protected static final Duration READY_BOUND = Duration.ofMinutes(5);

  private static final int CONNECT_MILLIS = 1_000;

  /** The directory, the ports and the processes. */
  protected final ClusterHome home;

  private final String name;
  private final String version;
  private final String addresses;

  /**
   * Starts nothing yet.
   *
   * @param name the product's name, for messages, for example {@code "Kafka"}
   * @param version the broker's version
   * @param addresses of the nodes, for messages
   * @param home with every node added
   */
  protected ProcessCluster(String name, String version, String addresses, ClusterHome home) {
    this.name = name;
    this.version = version;
    this.addresses = addresses;
    this.home = home;
  }

  /**
   * Writes the nodes' files into a home and adds the nodes to it, without starting them.
   *
   * @param <C> the kind of cluster
   */
  public interface Plan<C extends ProcessCluster> {

    /**
     * Makes the cluster.
     *
     * @param home without nodes
     * @return a cluster of this home
     * @throws IOException if a file cannot be written
     */
    C make(ClusterHome home) throws IOException;
  }

  /**
   * Makes a cluster, starts its nodes and waits until it is ready.
   *
   * @param <C> the kind of cluster
   * @param system part of the directory's name
   * @param plan makes the cluster of a home
   * @return a cluster that is ready
   * @throws ClusterException if that fails; nothing is left behind
   */
  public static <C extends ProcessCluster> C start(String system, Plan<C> plan) {
    return start(system, 0, plan);
  }

  /**
   * Makes a cluster, as {@link #start(String, Plan)} does, whose nodes can have networks of their
   * own.
   *
   * @param <C> the kind of cluster
   * @param system part of the directory's name
   * @param nodes how many there will be; 0 if they cannot
   * @param plan makes the cluster of a home
   * @return a cluster that is ready
   * @throws ClusterException if that fails; nothing is left behind
   */
  public static <C extends ProcessCluster> C start(String system, int nodes, Plan<C> plan) {
    boolean separate = Boolean.getBoolean(ClusterProvider.NETWORK_PROPERTY);
    if (separate && nodes == 0) {
      throw new ClusterException(
          "nodes of this cluster of %s cannot have networks of their own: start it without -D%s"
              .formatted(system, ClusterProvider.NETWORK_PROPERTY));
    }
    boolean disks = Boolean.getBoolean(ClusterProvider.POWER_PROPERTY);
    if (separate && disks) {
      throw new ClusterException(
          "a cluster cannot have both -D%s and -D%s"
              .formatted(ClusterProvider.POWER_PROPERTY, ClusterProvider.NETWORK_PROPERTY));
    }
    List<NodeFacility> facilities =
        Stream.of(ClusterProvider.NETWORK_PROPERTY, ClusterProvider.POWER_PROPERTY)
            .filter(Boolean::getBoolean)
            .map(NodeFacility::of)
            .toList();
    facilities.forEach(facility -> ClusterException.throwIf(facility.whyUnavailable()));
    ClusterHome home = ClusterHome.create(system);
    try {
      facilities.forEach(facility -> facility.addTo(home, nodes));
      C cluster = plan.make(home);
      if (disks) {
        home.disks().requireOnePerNode(home.nodes().size());
      }
      if (Security.isAskedFor() && home.security().isEmpty()) {
        throw new ClusterException(
            "clusters of %s have no TLS here: start them without -D%s=%s"
                .formatted(system, ClusterProvider.SECURITY_PROPERTY, ClusterProvider.TLS));
      }
      cluster.form();
      return cluster;
    } catch (IOException e) {
      home.close();
      throw new ClusterException("cannot write the configuration of a cluster of " + system, e);
    } catch (RuntimeException e) {
      home.close();
      throw e;
    }
  }

  /** Starts the nodes for the first time. */
  protected void form() {
    heal();
  }

  /** Starts what the nodes need beside each other; called before a node is started again. */
  protected void startOthers() {}

  /**
   * What is not as it should be in a cluster without a fault. Bounded by some 20 s.
   *
   * @return empty if the cluster is ready
   * @throws InterruptedException if the thread is interrupted
   */
  protected abstract List<String> notReady() throws InterruptedException;

  /** With a name and a password if the cluster encrypts. */
  @Override
  public final Map<String, String> settings() {
    return settings(home.security().isPresent() ? Access.PASSWORD : Access.PLAIN);
  }

  @Override
  public final Map<String, String> settings(Access access) {
    if (access == Access.PLAIN) {
      return plainSettings();
    }
    return home.security()
        .map(security -> security.settings(access, plainSettings(), securedSettings(access)))
        .orElseGet(() -> Cluster.super.settings(access));
  }

  /**
   * What a client needs that does not encrypt.
   *
   * @return settings for the system's {@code MqProvider}
   */
  protected abstract Map<String, String> plainSettings();

  /**
   * Those of {@link #plainSettings} that are others with TLS, without those of TLS itself. Asked
   * only of a cluster that took its certificates from its home.
   *
   * @param access how the client gets in
   * @return settings, empty if all are the same
   */
  protected Map<String, String> securedSettings(Access access) {
    return Map.of();
  }

  @Override
  public final String version() {
    return version;
  }

  @Override
  public final Path directory() {
    return home.directory();
  }

  @Override
  public final int nodes() {
    return home.nodes().size();
  }

  @Override
  public final ProcessHandle process(int node) {
    return home.node(node).handle();
  }

  @Override
  public final void kill(int node) {
    home.requireOpen();
    home.node(node).kill();
  }

  @Override
  public final void killAll() {
    home.requireOpen();
    home.nodes().forEach(NodeProcess::signalKill);
    home.nodes().forEach(NodeProcess::killIfAlive);
  }

  @Override
  public final void cutPower(int node) {
    home.requireOpen();
    if (!home.node(node).isAlive()) {
      throw new IllegalStateException("node %d is dead already".formatted(node));
    }
    home.disks().cut(List.of(node));
  }

  @Override
  public final void cutPowerAll() {
    home.requireOpen();
    home.disks().cut(IntStream.rangeClosed(1, nodes()).boxed().toList());
  }

  @Override
  public final Path disk(int node) {
    home.requireOpen();
    return home.disks().seenFromHere(node);
  }

  @Override
  public final void pause(int node) {
    home.requireOpen();
    home.node(node).pause();
  }

  @Override
  public final void resume(int node) {
    home.requireOpen();
    home.node(node).resume();
  }

  @Override
  public final void isolate(int node) {
    home.requireOpen();
    home.links().isolate(node);
  }

  @Override
  public final void cut(int node) {
    home.requireOpen();
    home.links().cut(List.of(node));
  }

  @Override
  public final void cutAll() {
    home.requireOpen();
    home.links().cut(IntStream.rangeClosed(1, nodes()).boxed().toList());
  }

  @Override
  public final void slow(long bytesPerSecond) {
    home.requireOpen();
    home.links().slow(bytesPerSecond);
  }

  @Override
  public final void delay(Duration eachWay) {
    home.requireOpen();
    home.links().delay(eachWay);
  }

  @Override
  public final void restart(int node) {
    startOthers();
    home.start(home.node(node));
    awaitReady(List.of(home.node(node)));
  }

  @Override
  public final void heal() {
    home.requireOpen();
    home.healNetwork();
    startOthers();
    home.nodes().forEach(NodeProcess::resumeIfPaused);
    startDead(home.nodes().stream().filter(node -> !node.isAlive()).toList());
    awaitReady(home.nodes());
  }

  /**
   * Starts nodes that are dead: all at once, unless a system asks its operators for an order.
   *
   * @param dead to be started with {@link ClusterHome#start}
   */
  protected void startDead(List<NodeProcess> dead) {
    dead.forEach(home::start);
  }

  /** Something that a cluster may not know yet. */
  @FunctionalInterface
  protected interface Question {

    /**
     * Asks once.
     *
     * @return empty if it is not known yet
     * @throws TimeoutException likewise, and its message says what the nodes said instead
     * @throws InterruptedException if the thread is interrupted
     */
    OptionalInt ask() throws TimeoutException, InterruptedException;
  }

  /**
   * Asks until there is an answer, while any node lives.
   *
   * @param what for the message of the error
   * @param question what is asked
   * @return the answer
   * @throws ClusterException if there is none within {@link #READY_BOUND}
   */
  protected final int awaitOne(String what, Question question) {
    home.requireOpen();
    long deadline = System.nanoTime() + READY_BOUND.toNanos();
    try {
      while (true) {
        TimeoutException unknown = null;
        try {
          OptionalInt answer = question.ask();
          if (answer.isPresent()) {
            return answer.getAsInt();
          }
        } catch (TimeoutException e) {
          unknown = e;
        }
        boolean anyAlive = home.nodes().stream().anyMatch(NodeProcess::isAlive);
        if (!anyAlive || System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "%s: no %s, after at most %d s%s"
                  .formatted(
                      this,
                      what,
                      READY_BOUND.toSeconds(),
                      unknown == null ? "" : ": " + unknown.getMessage()),
              unknown);
        }
        home.pauseBetweenLooks();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Waits until the cluster is ready, while every node lives.
   *
   * @param started the nodes that were just started, or may have been
   * @throws ClusterException if it is not within the bound
   */
  protected void awaitReady(List<NodeProcess> started) {
    awaitAlive("become ready", this::notReady);
  }

  /**
   * Waits until a look finds no problem, while every node lives.
   *
   * @param what does not happen otherwise, for the message of the error
   * @param look finds problems
   * @throws ClusterException if there is still one after {@link #READY_BOUND}, or a node died
   */
  protected final void awaitAlive(String what, Look look) {
    await(
        what,
        () -> {
          List<String> problems = look.problems();
          if (!problems.isEmpty()) {
            requireAllAlive();
          }
          return problems;
        });
  }

  /** Tells what is not as it should be. */
  protected interface Look {

    /**
     * Looks once.
     *
     * @return one sentence for each problem
     * @throws InterruptedException if the thread is interrupted
     */
    List<String> problems() throws InterruptedException;
  }

  /**
   * Waits until a look finds no problem.
   *
   * @param what does not happen otherwise, for the message of the error
   * @param look finds problems
   * @throws ClusterException if there is still one after {@link #READY_BOUND}
   */
  protected final void await(String what, Look look) {
    await(what, READY_BOUND, look);
  }

  /**
   * Waits until a look finds no problem.
   *
   * @param what does not happen otherwise, for the message of the error
   * @param bound longest wait
   * @param look finds problems
   * @throws ClusterException if there is still one after the bound
   */
  protected final void await(String what, Duration bound, Look look) {
    long deadline = System.nanoTime() + bound.toNanos();
    try {
      List<String> problems = look.problems();
      while (!problems.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "%s %s did not %s in %d s: %s\n%s"
                  .formatted(name, version, what, bound.toSeconds(), problems, lastLogLines()));
        }
        home.pauseBetweenLooks();
        problems = look.problems();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void requireAllAlive() {
    for (int node = 1; node <= nodes(); node++) {
      if (!home.node(node).isAlive()) {
        throw died(node);
      }
    }
  }

  /**
   * That a node died of itself, with the end of its log.
   *
   * @param node from 1
   * @return the error, to be thrown
   */
  protected final ClusterException died(int node) {
    return new ClusterException(
        "node %d of %s %s died:\n%s".formatted(node, name, version, logOf(node)));
  }

  /**
   * Starts a node again that ends while it boots, as a service manager would, for a system that now
   * and then dies of a race with itself.
   *
   * @param started the nodes this is done for; any other one was killed, and its death is an error
   * @param startsAgain how often, of all the nodes together
   * @param look finds problems
   * @return a look that also starts nodes
   */
  protected final Look supervised(List<NodeProcess> started, int startsAgain, Look look) {
    AtomicInteger startsLeft = new AtomicInteger(startsAgain);
    return () -> {
      List<String> problems = look.problems();
      if (!problems.isEmpty()) {
        for (int number = 1; number <= nodes(); number++) {
          NodeProcess node = home.node(number);
          if (!node.isAlive()) {
            if (!started.contains(node) || startsLeft.getAndDecrement() == 0) {
              throw died(number);
            }
            home.start(node);
          }
        }
      }
      return problems;
    };
  }

  /**
   * Starts what the nodes need beside each other, if it does not run, and waits until its port is
   * open.
   *
   * @param what for messages, for example {@code "epmd"}
   * @param service its process
   * @param host where it listens
   * @param port where it listens
   * @throws ClusterException if it died, or its port is not open after 120 s
   */
  protected final void startService(String what, NodeProcess service, String host, int port) {
    if (service.isAlive()) {
      return;
    }
    home.start(service);
    await(
        "start its " + what,
        () -> {
          if (!service.isAlive()) {
            throw new ClusterException(what + " died:\n" + service.lastLogLines());
          }
          try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            return List.of();
          } catch (IOException e) {
            return List.of(e.toString());
          }
        });
  }

  /**
   * The ends of the nodes' logs, for the text of an error.
   *
   * @return some lines of each
   */
  protected final String lastLogLines() {
    List<String> logs = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      logs.add("node %d:\n%s".formatted(node, logOf(node)));
    }
    return String.join("\n", logs);
  }

  private String logOf(int node) {
    return home.node(node).lastLogLines(this::isWorthReading);
  }

  /**
   * Whether a line of a node's log may say why something does not happen.
   *
   * @param logLine the line
   * @return true unless it is known to say nothing
   */
  protected boolean isWorthReading(String logLine) {
    return true;
  }

  /**
   * For a wait that was interrupted: keeps the thread's interrupt.
   *
   * @param e what ended the wait
   * @return the error, to be thrown
   */
  protected final ClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ClusterException("interrupted while waiting for " + name, e);
  }

  @Override
  public final void close() {
    home.close();
  }

  @Override
  public final String toString() {
    return "%s %s at %s".formatted(name, version, addresses);
  }
}
