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

  private static final Duration READY_BOUND = Duration.ofMinutes(2);

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
      cluster.heal();
      return cluster;
    } catch (IOException e) {
      home.close();
      throw new ClusterException("cannot write the configuration of a cluster of " + system, e);
    } catch (RuntimeException e) {
      home.close();
      throw e;
    }
  }

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
    home.start(home.node(node));
    awaitReady();
  }

  @Override
  public final void heal() {
    home.requireOpen();
    for (NodeProcess node : home.nodes()) {
      node.resumeIfPaused();
      if (!node.isAlive()) {
        home.start(node);
      }
    }
    awaitReady();
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

  private void awaitReady() {
    long deadline = System.nanoTime() + READY_BOUND.toNanos();
    try {
      List<String> notReady = notReady();
      while (!notReady.isEmpty()) {
        requireAllAlive();
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "%s did not become ready in %d s: %s\n%s"
                  .formatted(name, READY_BOUND.toSeconds(), notReady, lastLogLines()));
        }
        home.pauseBetweenLooks();
        notReady = notReady();
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

  private String lastLogLines() {
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
