package org.mqproof.cluster.network;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.NodeProcess;

/**
 * The Linux network namespaces of a cluster, one with one address for each node, one more for the
 * router between them and the clients, and the links between them. The clients stay in the
 * namespace of this JVM.
 *
 * <p>The namespaces have no names: each lives as long as a process that sleeps in it, and its links
 * go with it. So nothing but processes is to be cleaned up, which the {@link
 * org.mqproof.cluster.process.Guard} does after SIGKILL.
 *
 * <p>Not thread-safe but for what never changes once they are made.
 */
final class Namespaces {

  /** Where a place in the network is: a node from 1, or the clients. */
  static final int CLIENTS = 0;

  static final int ROUTER = 0; // among the holders

  /** A node's own end of its link. */
  static final String UPLINK = "uplink";

  static final int CALL_SECONDS = 10;

  // 198.18.0.0/15 is kept for measuring network devices (RFC 2544), so no real network has it; its
  // lower half is taken by some VPN clients. Each cluster has 32 addresses of the upper half.
  private static final int ADDRESSES = 32;
  private static final int CLIENTS_ADDRESS = 30;
  private static final int ROUTER_ADDRESS = 31;

  private static final Path OURS = Path.of("/proc/self/ns/net");

  private final ClusterHome home;
  private final int nodes;
  private final List<NodeProcess> holders = new ArrayList<>(); // the router's, then each node's
  private volatile boolean linked;

  /**
   * Makes nothing yet.
   *
   * @param home its services hold the namespaces
   * @param nodes how many, at least 1
   */
  Namespaces(ClusterHome home, int nodes) {
    this.home = home;
    this.nodes = nodes;
  }

  int nodes() {
    return nodes;
  }

  /** Makes them and their links. */
  void make() {
    for (int i = 0; i <= nodes; i++) {
      ProcessBuilder sleep = NodeProcess.whenTold(List.of("unshare", "--net", "sleep", "infinity"));
      sleep.environment().put("HOME", home.directory().toString()); // tells whose it is
      NodeProcess holder = home.addService(i == ROUTER ? "router" : "network-" + i, sleep);
      home.start(holder);
      holders.add(holder);
    }
    holders.forEach(this::awaitNamespace);
    link();
  }

  private void awaitNamespace(NodeProcess holder) {
    Path its = namespace(holder);
    await("a network namespace", holder, () -> !readLink(its).equals(readLink(OURS)));
  }

  private static Path readLink(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException e) {
      throw new ClusterException("no network namespace: " + e, e);
    }
  }

  /** Waits until something is there, while a process lives. */
  void await(String what, NodeProcess of, BooleanSupplier there) {
    try {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CALL_SECONDS);
      while (!there.getAsBoolean()) {
        if (!of.isAlive() || System.nanoTime() - deadline > 0) {
          throw new ClusterException("there is not " + what + ": " + of.lastLogLines());
        }
        home.pauseBetweenLooks();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while a network was made", e);
    }
  }

  private void link() {
    StringBuilder atRouter = new StringBuilder();
    atRouter.append(
        "link add clients type veth peer name %s netns %d\n"
            .formatted(linkName(), ProcessHandle.current().pid()));
    atRouter.append(routerLink("clients", CLIENTS));
    for (int node = 1; node <= nodes; node++) {
      String link = "node" + node;
      atRouter.append(
          "link add %s type veth peer name %s netns %d\n"
              .formatted(link, UPLINK, holders.get(node).handle().pid()));
      atRouter.append(routerLink(link, node));
    }
    Commands.run(within(ROUTER, List.of("ip", "-batch", "-")), atRouter.toString());
    linked = true;
    Commands.run(within(ROUTER, List.of("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")), "");
    for (int node = 1; node <= nodes; node++) {
      Commands.run(
          within(node, List.of("ip", "-batch", "-")),
          "link set lo up\n" + hostLink(UPLINK, node, "default"));
    }
    Commands.run(List.of("ip", "-batch", "-"), hostLink(linkName(), CLIENTS, address(0) + "/27"));
  }

  private String routerLink(String link, int place) {
    return "address add %s peer %s dev %s\nlink set %s up\n"
        .formatted(address(ROUTER_ADDRESS), host(place), link, link);
  }

  private String hostLink(String link, int place, String reached) {
    return "address add %1$s peer %2$s dev %3$s\nlink set %3$s up\nroute add %4$s via %2$s\n"
        .formatted(host(place), address(ROUTER_ADDRESS), link, reached);
  }

  /** The router's end of the link to a place. */
  static String routerEnd(int place) {
    return place == CLIENTS ? "clients" : "node" + place;
  }

  /** The one link that is seen from outside. */
  String linkName() {
    return "mqproof" + home.number();
  }

  /** The address of a node, or of the clients. */
  String host(int place) {
    return address(place == CLIENTS ? CLIENTS_ADDRESS : place);
  }

  private String address(int ofCluster) {
    int index = home.number() * ADDRESSES + ofCluster;
    return "198.19.%d.%d".formatted(index / 256, index % 256);
  }

  /** Makes a command of a node run in the node's network. */
  void enter(int node, ProcessBuilder command) {
    command.command(within(node, command.command()));
  }

  /** The same command, in the namespace of a node or of the router. */
  List<String> within(int holder, List<String> command) {
    List<String> entered = new ArrayList<>();
    entered.add("nsenter");
    entered.add("--net=" + namespace(holders.get(holder)));
    entered.addAll(command);
    return entered;
  }

  /** The same command, where a place's packets come from. */
  List<String> at(int place, List<String> command) {
    return place == CLIENTS ? command : within(place, command);
  }

  private static Path namespace(NodeProcess holder) {
    return Path.of("/proc", Long.toString(holder.handle().pid()), "ns", "net");
  }

  /**
   * Waits until the link that is seen from outside is gone, once the holders are dead. Waits for
   * nobody else: a network may be closed while it is changed.
   */
  void awaitGone() {
    if (!linked) {
      return;
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CALL_SECONDS);
    try {
      while (NetworkInterface.getByName(linkName()) != null) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException("the link %s outlived its network".formatted(linkName()));
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    } catch (SocketException e) {
      throw new ClusterException("cannot look for the link " + linkName(), e);
    }
  }
}
