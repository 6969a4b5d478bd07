package org.mqproof.cluster.rabbitmq;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.RandomHex;

/**
 * A RabbitMQ cluster, each node a child process or a container. Thread-safe, as {@link Cluster}
 * says.
 *
 * <p>{@link #heal()} also does what an operator must do for a node that was paused so long that the
 * others went on without it, see {@link RabbitProbe#restartCutOff()}, and for one that does not
 * come back from the minority. A quorum queue should be two seconds old, or have seen a {@link
 * #heal()}, before a node is killed: a node needs that long to write down that it has a replica.
 */
final class RabbitCluster extends ProcessCluster {

  private static final int STARTS_AGAIN = 2;

  /** A node that stops and starts by itself is back much earlier, also on a busy machine. */
  private static final Duration STUCK_AFTER = Duration.ofSeconds(30);

  private final List<NodeProcess> epmds;
  private final String password;
  private final RabbitProbe probe;

  private RabbitCluster(
      String version,
      ClusterHome home,
      List<NodeProcess> epmds,
      RabbitProbe probe,
      String password) {
    super("RabbitMQ", version, addresses(home), home);
    this.epmds = epmds;
    this.probe = probe;
    this.password = password;
  }

  static RabbitCluster start(RabbitInstallation rabbit, Tuning tuning, Consumer<String> progress) {
    progress.accept(
        "starting RabbitMQ %s, %s"
            .formatted(rabbit.version(), rabbit.root() == null ? rabbit.server() : rabbit.root()));
    return start(
        "rabbitmq",
        RabbitNodes.COUNT,
        home -> {
          String password = RandomHex.of(16);
          List<NodeProcess> epmds = RabbitNodes.addTo(home, rabbit, tuning, password);
          ErlCall erlang =
              new ErlCall(
                  node ->
                      ErlCall.here(
                          rabbit.command(List.of(rabbit.erlCall().toString())),
                          home.directory(),
                          "%s:%d"
                              .formatted(
                                  home.host(node), RabbitNodes.distributionPort(home, node))));
          return new RabbitCluster(
              rabbit.version(),
              home,
              epmds,
              new RabbitProbe(home, erlang, RabbitNodes.name(home, 1), password),
              password);
        });
  }

  static RabbitCluster startContainers(String image, Tuning tuning) {
    return start(
        "rabbitmq",
        home -> {
          String password = RandomHex.of(16);
          RabbitNodes.addTo(home, image, tuning, password);
          ErlCall erlang =
              new ErlCall(
                  node ->
                      ErlCall.inContainer(
                          Containers.name(home, node), RabbitNodes.distributionPort(home, node)));
          String firstNode = RabbitNodes.name(1, Containers.alias(1));
          return new RabbitCluster(
              Image.tag(image),
              home,
              List.of(),
              new RabbitProbe(home, erlang, firstNode, password),
              password);
        });
  }

  /** Nodes that boot each on its own, at once, and then join, are ready sooner than in a row. */
  @Override
  protected void form() {
    startOthers();
    home.nodes().forEach(home::start);
    await("boot", supervised(home.nodes(), STARTS_AGAIN, probe::notBooted));
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

  /**
   * A node that finds no epmd would start one of its own, which nobody watches. In a container it
   * does, and may: that goes with the container.
   */
  @Override
  protected void startOthers() {
    for (int i = 0; i < epmds.size(); i++) {
      startService("epmd", epmds.get(i), home.host(i + 1), RabbitNodes.epmdPort(home));
    }
  }

  @Override
  public String system() {
    return "rabbitmq";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "addresses",
        addresses(home),
        "username",
        RabbitNodes.USER,
        "password",
        password,
        "virtual.host",
        RabbitNodes.VIRTUAL_HOST);
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    String addresses =
        home.addresses(RabbitNodes.COUNT, node -> RabbitNodes.securedPort(home, node));
    return Map.of(
        "addresses",
        addresses,
        "auth",
        access == Access.CERTIFICATE ? "certificate" : "password",
        "username",
        access == Access.LEAST ? Access.LEAST_USER : RabbitNodes.USER);
  }

  private static String addresses(ClusterHome home) {
    return home.addresses(RabbitNodes.COUNT, node -> RabbitNodes.port(home, node));
  }

  @Override
  public int leader(String queue) {
    return awaitOne(
        "leader of " + queue,
        () ->
            OptionalInt.of(
                probe.leader(
                    queue,
                    node -> home.node(node).isRunning() && home.reachable().contains(node))));
  }

  /**
   * On a loaded machine RabbitMQ 3.10 now and then dies of a race with itself in its
   * file_handle_cache; the service file that RabbitMQ ships starts it again.
   */
  @Override
  protected void awaitReady(List<NodeProcess> started) {
    long begin = System.nanoTime();
    Map<Integer, Long> stoppedSince = new TreeMap<>();
    await(
        "become ready",
        READY_BOUND,
        supervised(
            started,
            STARTS_AGAIN,
            () -> {
              List<String> problems = notReady();
              if (!problems.isEmpty()) {
                probe.restartCutOff();
                if (hasPassed(STUCK_AFTER, begin)) {
                  startStuckAgain(stoppedSince);
                }
              }
              return problems;
            }));
  }

  /**
   * A node in the minority stops RabbitMQ, and starts it once it sees the others. In Erlang 25 the
   * server of global names now and then dies when several nodes come back at once; that start then
   * never ends, and an operator would start the node anew.
   */
  private void startStuckAgain(Map<Integer, Long> stoppedSince) throws InterruptedException {
    Set<Integer> stopped = probe.stopped();
    stoppedSince.keySet().retainAll(stopped);
    for (int number : stopped) {
      if (hasPassed(STUCK_AFTER, stoppedSince.computeIfAbsent(number, n -> System.nanoTime()))) {
        NodeProcess node = home.node(number);
        node.kill();
        home.start(node);
        stoppedSince.remove(number);
      }
    }
  }

  private static boolean hasPassed(Duration time, long startNanos) {
    return System.nanoTime() - startNanos >= time.toNanos();
  }

  @Override
  protected List<String> notReady() throws InterruptedException {
    return probe.notReady();
  }
}
