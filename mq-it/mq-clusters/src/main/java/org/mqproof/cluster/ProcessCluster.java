package org.mqproof.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * A cluster whose nodes are child processes, and every verb that is the same for all systems. What
 * differs is how nodes are made and when they are ready.
 *
 * <p>Thread-safe, as {@link Cluster} says, if {@link #notReady()} is.
 */
abstract class ProcessCluster implements Cluster {

  static final Duration READY_BOUND = Duration.ofMinutes(2);

  final ClusterHome home;
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
  ProcessCluster(String name, String version, String addresses, ClusterHome home) {
    this.name = name;
    this.version = version;
    this.addresses = addresses;
    this.home = home;
  }

  /** Writes the nodes' files into a home and adds the nodes to it, without starting them. */
  interface Plan<C extends ProcessCluster> {
    C make(ClusterHome home) throws IOException;
  }

  /**
   * Makes a cluster, starts its nodes and waits until it is ready.
   *
   * @param system part of the directory's name
   * @throws ClusterException if that fails; nothing is left behind
   */
  static <C extends ProcessCluster> C start(String system, Plan<C> plan) {
    ClusterHome home = ClusterHome.create(system);
    try {
      C cluster = plan.make(home);
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
  void form() {
    heal();
  }

  /** Starts what the nodes need beside each other; called before a node is started again. */
  void startOthers() {}

  /**
   * What is not as it should be in a cluster without a fault. Bounded by some 20 s.
   *
   * @return empty if the cluster is ready
   */
  abstract List<String> notReady() throws InterruptedException;

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
  public final void restart(int node) {
    startOthers();
    home.start(home.node(node));
    awaitReady(List.of(home.node(node)));
  }

  @Override
  public final void heal() {
    home.requireOpen();
    startOthers();
    home.nodes().forEach(NodeProcess::resumeIfPaused);
    startDead(home.nodes().stream().filter(node -> !node.isAlive()).toList());
    awaitReady(home.nodes());
  }

  /** Starts nodes that are dead: all at once, unless a system asks its operators for an order. */
  void startDead(List<NodeProcess> dead) {
    dead.forEach(home::start);
  }

  /**
   * Waits until something can be told of the cluster, while any node lives.
   *
   * @param what for the message of the error
   * @throws ClusterException if it cannot within the bound
   */
  final int awaitOne(String what, Duration bound, Supplier<OptionalInt> question) {
    home.requireOpen();
    long deadline = System.nanoTime() + bound.toNanos();
    try {
      OptionalInt answer = question.get();
      while (answer.isEmpty()) {
        boolean anyAlive = home.nodes().stream().anyMatch(NodeProcess::isAlive);
        if (!anyAlive || System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "%s: no %s, after at most %d s".formatted(this, what, bound.toSeconds()));
        }
        home.pauseBetweenLooks();
        answer = question.get();
      }
      return answer.getAsInt();
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
  void awaitReady(List<NodeProcess> started) {
    await(
        "become ready",
        () -> {
          List<String> problems = notReady();
          if (!problems.isEmpty()) {
            requireAllAlive();
          }
          return problems;
        });
  }

  /** Tells what is not as it should be. */
  interface Look {
    List<String> problems() throws InterruptedException;
  }

  /**
   * Waits until a look finds no problem.
   *
   * @param what does not happen otherwise, for the message of the error
   * @throws ClusterException if there is still one after 120 s
   */
  final void await(String what, Look look) {
    long deadline = System.nanoTime() + READY_BOUND.toNanos();
    try {
      List<String> problems = look.problems();
      while (!problems.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "%s %s did not %s in %d s: %s\n%s"
                  .formatted(
                      name, version, what, READY_BOUND.toSeconds(), problems, lastLogLines()));
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
        throw new ClusterException(
            "node %d of %s %s died:\n%s"
                .formatted(node, name, version, home.node(node).lastLogLines()));
      }
    }
  }

  final String lastLogLines() {
    List<String> logs = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      logs.add("node %d:\n%s".formatted(node, home.node(node).lastLogLines()));
    }
    return String.join("\n", logs);
  }

  /** For a wait that was interrupted: keeps the thread's interrupt. */
  final ClusterException interrupted(InterruptedException e) {
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
