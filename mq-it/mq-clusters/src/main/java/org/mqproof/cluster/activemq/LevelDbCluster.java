package org.mqproof.cluster.activemq;

import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;

/**
 * An ActiveMQ cluster with the replicated LevelDB store, each node a child JVM. Thread-safe, as
 * {@link Cluster} says.
 */
final class LevelDbCluster extends ProcessCluster {

  /** Twice the time in which ZooKeeper forgets a node that has died, which may be in the way. */
  private static final Duration SILENCE = Duration.ofSeconds(8);

  private static final int STARTS_AGAIN = 12;
  private static final String STARTING = "Using Persistence Adapter";
  private static final String REACHED = "Session establishment complete";
  private static final String ELECTION = "MasterElector - ";

  /** What the active node logs of the others, each by a name that its store has. */
  private static final Pattern SLAVE =
      Pattern.compile("Slave has (now caught up|disconnected): (\\S+)");

  private final String addresses;
  private final NodeProcess zooKeeper;

  private LevelDbCluster(
      String version, String addresses, ClusterHome home, NodeProcess zooKeeper) {
    super("ActiveMQ", version, addresses, home);
    this.addresses = addresses;
    this.zooKeeper = zooKeeper;
  }

  static LevelDbCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = LevelDbNodes.resolve(version, progress);
    List<Path> zooKeeperJars = LevelDbNodes.resolveZooKeeper(progress);
    return start(
        "activemq",
        home -> {
          for (int node = 1; node <= LevelDbNodes.STORE.nodes(); node++) {
            home.onDisk(LevelDbNodes.store(home, node), node);
          }
          ActiveMqNodes.addTo(home, jars, LevelDbNodes.STORE, tuning);
          NodeProcess zooKeeper = LevelDbNodes.addZooKeeper(home, zooKeeperJars);
          String addresses = ActiveMqNodes.addresses(home, LevelDbNodes.STORE.nodes());
          return new LevelDbCluster(version, addresses, home, zooKeeper);
        });
  }

  @Override
  protected void startOthers() {
    startService("ZooKeeper", zooKeeper, "127.0.0.1", LevelDbNodes.zooKeeperPort(home));
  }

  @Override
  public String system() {
    return "activemq";
  }

  @Override
  protected Map<String, String> plainSettings() {
    Map<String, String> settings = new HashMap<>(ActiveMqNodes.settings(addresses));
    settings.put("copies", Integer.toString(nodes()));
    return settings;
  }

  /** The active node, of which every queue is; a paused one until another one is active. */
  @Override
  public int leader(String queue) {
    return awaitOne("active node", this::active);
  }

  private OptionalInt active() {
    int[] active = IntStream.rangeClosed(1, nodes()).filter(this::isActive).toArray();
    OptionalInt running =
        IntStream.of(active).filter(node -> home.node(node).isRunning()).findFirst();
    return running.isPresent() ? running : IntStream.of(active).findFirst();
  }

  private boolean isActive(int node) {
    String log = home.node(node).logOfThisRun();
    return home.node(node).isAlive()
        && log.lastIndexOf(ActiveMqNodeMain.ACTIVE) > log.lastIndexOf(ActiveMqNodeMain.PASSIVE);
  }

  /**
   * A node that is told twice that it has reached ZooKeeper, once by each of two threads, dies of a
   * NullPointerException or waits for ever. On a loaded machine every third start does one or the
   * other, so it is started until it takes part in the election.
   */
  @Override
  protected void awaitReady(List<NodeProcess> started) {
    Map<NodeProcess, Long> silentSinceNanos = new HashMap<>();
    await(
        "become ready",
        supervised(
            started,
            STARTS_AGAIN,
            () -> {
              for (NodeProcess node : started) {
                killIfSilent(node, silentSinceNanos);
              }
              return notReady();
            }));
  }

  private static void killIfSilent(NodeProcess node, Map<NodeProcess, Long> silentSinceNanos) {
    if (!node.isRunning() || !isSilent(node.logOfThisRun())) {
      silentSinceNanos.remove(node);
      return;
    }
    long since = silentSinceNanos.computeIfAbsent(node, first -> System.nanoTime());
    if (System.nanoTime() - since > SILENCE.toNanos()) {
      silentSinceNanos.remove(node);
      node.killIfAlive();
    }
  }

  /** Whether a node's broker, last started, has reached ZooKeeper and done nothing since. */
  static boolean isSilent(String log) {
    String broker = log.substring(Math.max(0, log.lastIndexOf(STARTING)));
    return broker.contains(REACHED) && !broker.contains(ELECTION);
  }

  @Override
  protected List<String> notReady() {
    int[] active = IntStream.rangeClosed(1, nodes()).filter(this::isActive).toArray();
    if (active.length != 1) {
      return List.of("%d nodes are active, not 1".formatted(active.length));
    }
    List<String> notReady = new ArrayList<>();
    int caughtUp = caughtUp(home.node(active[0]).logOfThisRun()).size();
    if (caughtUp < nodes() - 1) {
      notReady.add("%d other nodes have caught up with node %d".formatted(caughtUp, active[0]));
    } else {
      try {
        ActiveMqProbe.sendAndReceive(ActiveMqNodes.address(home, active[0]));
      } catch (JMSException e) {
        notReady.add(e.toString());
      }
    }
    return notReady;
  }

  /** The others that have all that the active node has, by its log since it was last promoted. */
  static Set<String> caughtUp(String log) {
    Set<String> caughtUp = new HashSet<>();
    Matcher slave =
        SLAVE.matcher(log.substring(Math.max(0, log.lastIndexOf("Promoted to master"))));
    while (slave.find()) {
      if (slave.group(1).equals("disconnected")) {
        caughtUp.remove(slave.group(2));
      } else {
        caughtUp.add(slave.group(2));
      }
    }
    return caughtUp;
  }
}
