package org.mqproof.cluster.activemq;

import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.ProcessCluster;

/**
 * An ActiveMQ pair with a shared store, each node a child JVM or a container. Thread-safe, as
 * {@link Cluster} says.
 */
final class ActiveMqCluster extends ProcessCluster {

  /** What ActiveMQ logs once it has found the lock taken and goes on trying. */
  private static final String STANDBY = "This broker is now in slave mode waiting a lock";

  /** What it logs once it serves clients. */
  private static final Pattern ACTIVE = Pattern.compile("Apache ActiveMQ \\S+ \\(.*\\) started");

  private final String addresses;

  private ActiveMqCluster(String version, String addresses, ClusterHome home) {
    super("ActiveMQ", version, addresses, home);
    this.addresses = addresses;
  }

  static ActiveMqCluster start(String version, Tuning tuning, Consumer<String> progress) {
    List<Path> jars = ActiveMqKahaDb.resolve(version, progress);
    return start(
        "activemq",
        ActiveMqKahaDb.STORE.nodes(),
        home -> {
          home.onDisk(ActiveMqKahaDb.directory(home), 1, 2);
          ActiveMqNodes.addTo(home, jars, ActiveMqKahaDb.STORE, tuning);
          String addresses = ActiveMqNodes.addresses(home, ActiveMqKahaDb.STORE.nodes());
          return new ActiveMqCluster(version, addresses, home);
        });
  }

  static ActiveMqCluster startContainers(String image, Tuning tuning) {
    return start(
        "activemq",
        home -> {
          ActiveMqNodes.addTo(home, image, tuning);
          String addresses = ActiveMqNodes.addresses(home, ActiveMqKahaDb.STORE.nodes());
          return new ActiveMqCluster(Image.tag(image), addresses, home);
        });
  }

  @Override
  public String system() {
    return "activemq";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return ActiveMqNodes.settings(addresses);
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    Map<String, String> settings = new HashMap<>();
    settings.put("addresses", ActiveMqNodes.addresses(home, nodes(), access));
    if (access == Access.LEAST) {
      for (String key : List.of("username", "password", "admin.username", "admin.password")) {
        settings.put(key, Access.LEAST_USER);
      }
    }
    return settings;
  }

  /** The active node, of which every queue is; a paused one keeps the lock and stays active. */
  @Override
  public int leader(String queue) {
    return awaitOne("active node", this::active);
  }

  private OptionalInt active() {
    return IntStream.rangeClosed(1, nodes())
        .filter(node -> home.node(node).isAlive() && isActive(home.node(node).logOfThisRun()))
        .findFirst();
  }

  private static boolean isActive(String log) {
    return ACTIVE.matcher(log).find();
  }

  @Override
  protected List<String> notReady() {
    List<Integer> active = new ArrayList<>();
    List<String> notReady = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      String log = home.node(node).logOfThisRun();
      if (isActive(log)) {
        active.add(node);
      } else if (!log.contains(STANDBY)) {
        notReady.add("node %d neither serves nor waits for the lock".formatted(node));
      }
    }
    if (active.size() != 1) {
      notReady.add("%d nodes serve, not 1".formatted(active.size()));
    }
    if (notReady.isEmpty()) {
      try {
        ActiveMqProbe.sendAndReceive(ActiveMqNodes.address(home, active.get(0)));
      } catch (JMSException e) {
        notReady.add(e.toString());
      }
    }
    return notReady;
  }
}
