package org.mqproof.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A RabbitMQ cluster, each node a child process. Thread-safe, as {@link Cluster} says.
 *
 * <p>{@link #heal()} also does what an operator must do for a node that was paused so long that the
 * others went on without it: see {@link RabbitProbe#restartCutOff()}. A quorum queue should be a
 * second old, or have seen a {@link #heal()}, before a node is killed: a node needs that long to
 * write down that it has a replica.
 */
final class RabbitCluster implements Cluster {

  private static final Duration READY_BOUND = Duration.ofMinutes(2);
  private static final Duration LEADER_BOUND = Duration.ofSeconds(15);
  private static final int STARTS_AGAIN = 2;
  private static final int CONNECT_MILLIS = 1_000;

  private final RabbitInstallation rabbit;
  private final ClusterHome home;
  private final NodeProcess epmd;
  private final String password;
  private final RabbitProbe probe;

  private RabbitCluster(
      RabbitInstallation rabbit, ClusterHome home, NodeProcess epmd, String password) {
    this.rabbit = rabbit;
    this.home = home;
    this.epmd = epmd;
    this.password = password;
    probe = new RabbitProbe(home, rabbit, password);
  }

  static RabbitCluster start(RabbitInstallation rabbit, Tuning tuning, Consumer<String> progress) {
    progress.accept("starting RabbitMQ %s, %s".formatted(rabbit.version(), rabbit.server()));
    ClusterHome home = ClusterHome.create("rabbitmq");
    try {
      String password = RabbitNodes.random();
      NodeProcess epmd = RabbitNodes.addTo(home, rabbit, tuning, password);
      RabbitCluster cluster = new RabbitCluster(rabbit, home, epmd, password);
      cluster.form();
      return cluster;
    } catch (IOException e) {
      home.close();
      throw new ClusterException(
          "cannot write the configuration of RabbitMQ " + rabbit.version(), e);
    } catch (RuntimeException e) {
      home.close();
      throw e;
    }
  }

  /** Nodes that boot each on its own, at once, and then join, are ready sooner than in a row. */
  private void form() {
    startEpmd();
    home.nodes().forEach(home::start);
    await("boot", supervised(home.nodes(), probe::notBooted));
    try {
      probe.join();
    } catch (IOException | TimeoutException e) {
      throw new ClusterException(
          "the nodes of RabbitMQ %s do not join: %s\n%s"
              .formatted(version(), e.getMessage(), lastLogLines()),
          e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    awaitReady(home.nodes());
  }

  /** A node that finds no epmd would start one of its own, which nobody watches. */
  private void startEpmd() {
    if (!epmd.isAlive()) {
      home.start(epmd);
      await("start its epmd", this::epmdNotReady);
    }
  }

  private List<String> epmdNotReady() {
    if (!epmd.isAlive()) {
      throw new ClusterException("epmd died:\n" + epmd.lastLogLines());
    }
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), RabbitNodes.epmdPort(home)),
          CONNECT_MILLIS);
      return List.of();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  @Override
  public String system() {
    return "rabbitmq";
  }

  @Override
  public String version() {
    return rabbit.version();
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "addresses",
        addresses(),
        "username",
        RabbitNodes.USER,
        "password",
        password,
        "virtual.host",
        RabbitNodes.VIRTUAL_HOST);
  }

  private String addresses() {
    return IntStream.rangeClosed(1, RabbitNodes.COUNT)
        .mapToObj(node -> "127.0.0.1:" + RabbitNodes.port(home, node))
        .collect(Collectors.joining(","));
  }

  @Override
  public Path directory() {
    return home.directory();
  }

  @Override
  public int nodes() {
    return RabbitNodes.COUNT;
  }

  @Override
  public ProcessHandle process(int node) {
    return home.node(node).handle();
  }

  @Override
  public int leader(String queue) {
    home.requireOpen();
    long deadline = System.nanoTime() + LEADER_BOUND.toNanos();
    try {
      while (true) {
        try {
          return probe.leader(queue, node -> home.node(node).isRunning());
        } catch (TimeoutException e) {
          boolean hopeless = home.nodes().stream().noneMatch(NodeProcess::isRunning);
          if (hopeless || System.nanoTime() - deadline > 0) {
            throw new ClusterException(
                "RabbitMQ at %s does not say who leads %s: %s".formatted(addresses(), queue, e), e);
          }
        }
        home.pauseBetweenLooks();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public void kill(int node) {
    home.requireOpen();
    home.node(node).kill();
  }

  @Override
  public void killAll() {
    home.requireOpen();
    home.nodes().forEach(NodeProcess::killIfAlive);
  }

  @Override
  public void pause(int node) {
    home.requireOpen();
    home.node(node).pause();
  }

  @Override
  public void resume(int node) {
    home.requireOpen();
    home.node(node).resume();
  }

  @Override
  public void restart(int node) {
    startEpmd();
    home.start(home.node(node));
    awaitReady(List.of(home.node(node)));
  }

  @Override
  public void heal() {
    home.requireOpen();
    startEpmd();
    for (NodeProcess node : home.nodes()) {
      node.resumeIfPaused();
      if (!node.isAlive()) {
        home.start(node);
      }
    }
    awaitReady(home.nodes());
  }

  private void awaitReady(List<NodeProcess> started) {
    await(
        "become ready",
        supervised(
            started,
            () -> {
              List<String> problems = probe.notReady();
              if (!problems.isEmpty()) {
                probe.restartCutOff();
              }
              return problems;
            }));
  }

  /**
   * Starts a node again that ends while it boots, as the service file that RabbitMQ ships does. On
   * a loaded machine RabbitMQ 3.10 now and then dies of a race with itself in its
   * file_handle_cache.
   *
   * @param started the nodes this is done for; any other one was killed, and its death is an error
   */
  private Look supervised(List<NodeProcess> started, Look look) {
    AtomicInteger startsLeft = new AtomicInteger(STARTS_AGAIN);
    return () -> {
      List<String> problems = look.problems();
      if (!problems.isEmpty()) {
        for (int number = 1; number <= nodes(); number++) {
          NodeProcess node = home.node(number);
          if (!node.isAlive()) {
            if (!started.contains(node) || startsLeft.getAndDecrement() == 0) {
              throw new ClusterException(
                  "node %d of RabbitMQ %s died:\n%s"
                      .formatted(number, version(), node.lastLogLines()));
            }
            home.start(node);
          }
        }
      }
      return problems;
    };
  }

  /** Tells what is not as it should be. */
  private interface Look {
    List<String> problems() throws InterruptedException;
  }

  private void await(String what, Look look) {
    long deadline = System.nanoTime() + READY_BOUND.toNanos();
    try {
      List<String> problems = look.problems();
      while (!problems.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "RabbitMQ %s did not %s in %d s: %s\n%s"
                  .formatted(version(), what, READY_BOUND.toSeconds(), problems, lastLogLines()));
        }
        home.pauseBetweenLooks();
        problems = look.problems();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private String lastLogLines() {
    List<String> logs = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      logs.add("node %d:\n%s".formatted(node, home.node(node).lastLogLines()));
    }
    return String.join("\n", logs);
  }

  private static ClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ClusterException("interrupted while waiting for RabbitMQ", e);
  }

  @Override
  public void close() {
    home.close();
  }

  @Override
  public String toString() {
    return "RabbitMQ %s at %s".formatted(version(), addresses());
  }
}
