package org.mqproof.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A network of its own for each node of a cluster, and the cuts in it. Each node has a Linux
 * network namespace with one address. One more namespace is the router between them and the
 * clients, which stay in the namespace of this JVM. A cut is a rule of the router that drops
 * packets and tells nobody, as a broken cable does.
 *
 * <p>The namespaces have no names: each lives as long as a process that sleeps in it, and its links
 * go with it. So nothing but processes is to be cleaned up, which the {@link Guard} does after
 * SIGKILL.
 *
 * <p>Thread-safe. Every call ends within some 20 s.
 */
final class Network implements Links {

  /** Where a place in the network is: a node from 1, or the clients. */
  private static final int CLIENTS = 0;

  private static final int ROUTER = 0; // among the holders

  // 198.18.0.0/15 is kept for measuring network devices (RFC 2544), so no real network has it; its
  // lower half is taken by some VPN clients. Each cluster has 32 addresses of the upper half.
  private static final int ADDRESSES = 32;
  private static final int CLIENTS_ADDRESS = 30;
  private static final int ROUTER_ADDRESS = 31;

  private static final Path OURS = Path.of("/proc/self/ns/net");

  private static final int CALL_SECONDS = 10;

  /** Nothing listens there: a node that is reached refuses at once, even if it is paused. */
  private static final String PROBED_PORT = "19999";

  private static final long LEAST_RATE = 10_000;
  private static final long MOST_RATE = 100_000_000;

  /** What may be sent at once, in bytes: some packets. */
  private static final int BURST = 8_192;

  private static final String SEND = "exec 3<>\"/dev/tcp/$1/$2\" && head -c \"$3\" /dev/zero >&3";
  private static final String CONNECT = "exec 3<>\"/dev/tcp/$1/$2\"";
  private static final int TIMED_OUT = 124; // what timeout exits with

  private static final String UPLINK = "uplink"; // a node's own end of its link

  private static final Duration LEAST_DELAY = Duration.ofNanos(100_000);
  private static final Duration MOST_DELAY = Duration.ofMillis(250);
  private static final int MOST_HELD = 1_000_000;

  /** What the quickest of many round trips may take longer: a busy machine has no quick ones. */
  private static final Duration DELAY_SLACK = Duration.ofMillis(3);

  private static final int DELAY_PROBES = 50;

  private static final String DELAY_PROGRAM = "packet_delay.py";
  private static final String DELAYS = "holds packets"; // what that says when it does

  private final ClusterHome home;
  private final int number;
  private final int nodes;
  private final List<NodeProcess> holders = new ArrayList<>(); // the router's, then each node's
  private final Set<Way> cut = new HashSet<>();
  private final Set<Integer> harmed = new HashSet<>();
  private volatile boolean linked;
  private boolean slow;
  private boolean delayed;
  private @Nullable NodeProcess delaying; // without netem

  /**
   * Makes nothing yet.
   *
   * @param home its services hold the namespaces
   * @param number of the cluster, of those that run on this machine
   * @param nodes how many, at least 1
   */
  Network(ClusterHome home, int number, int nodes) {
    this.home = home;
    this.number = number;
    this.nodes = nodes;
  }

  /** From one place to another. */
  record Way(int from, int to) {}

  /**
   * Why nodes cannot have networks of their own here.
   *
   * @return empty if they can; else one sentence
   */
  static Optional<String> whyUnavailable() {
    String why =
        "nodes can have networks of their own only on Linux, as root, with ip and tc (iproute2),"
            + " unshare, nsenter, timeout and bash, and with netem in the kernel or else iptables and"
            + " python3: ";
    try {
      Commands.run(List.of("bash", "-c", "command -v nsenter timeout tc >/dev/null"), "");
      Commands.run(List.of("unshare", "--net", "ip", "link", "add", "probe", "type", "veth"), "");
      if (!hasNetem()) {
        List<String> queue = new ArrayList<>(List.of("unshare", "--net"));
        queue.addAll(iptables("--append"));
        Commands.run(queue, "");
        Commands.run(List.of("python3", "--version"), "");
      }
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.of(why + e.getMessage());
    }
  }

  /** Makes the network, and sees that everything reaches everything. */
  synchronized void make() {
    for (int i = 0; i <= nodes; i++) {
      ProcessBuilder sleep = NodeProcess.whenTold(List.of("unshare", "--net", "sleep", "infinity"));
      sleep.environment().put("HOME", home.directory().toString()); // tells whose it is
      NodeProcess holder = home.addService(i == ROUTER ? "router" : "network-" + i, sleep);
      home.start(holder);
      holders.add(holder);
    }
    holders.forEach(this::awaitNamespace);
    link();
    requireOpen(everyWay());
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

  private void await(String what, NodeProcess of, BooleanSupplier there) {
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

  /** The one link that is seen from outside. */
  String linkName() {
    return "mqproof" + number;
  }

  /** The address of a node, or of the clients. */
  String host(int place) {
    return address(place == CLIENTS ? CLIENTS_ADDRESS : place);
  }

  private String address(int ofCluster) {
    int index = number * ADDRESSES + ofCluster;
    return "198.19.%d.%d".formatted(index / 256, index % 256);
  }

  /** Makes a command of a node run in the node's network. */
  void enter(int node, ProcessBuilder command) {
    command.command(within(node, command.command()));
  }

  private List<String> within(int holder, List<String> command) {
    List<String> entered = new ArrayList<>();
    entered.add("nsenter");
    entered.add("--net=" + namespace(holders.get(holder)));
    entered.addAll(command);
    return entered;
  }

  private static Path namespace(NodeProcess holder) {
    return Path.of("/proc", Long.toString(holder.handle().pid()), "ns", "net");
  }

  @Override
  public void isolate(int node) {
    requireNode(node);
    List<Way> between = new ArrayList<>();
    for (int other = 1; other <= nodes; other++) {
      if (other != node) {
        between.add(new Way(node, other));
        between.add(new Way(other, node));
      }
    }
    cut(List.of(node), between);
  }

  @Override
  public void cut(List<Integer> fromClients) {
    List<Way> between = new ArrayList<>();
    for (int node : fromClients) {
      requireNode(node);
      between.add(new Way(CLIENTS, node));
      between.add(new Way(node, CLIENTS));
    }
    cut(fromClients, between);
  }

  private void requireNode(int node) {
    if (node < 1 || node > nodes) {
      throw new IllegalArgumentException("node must be 1 to %d, was %d".formatted(nodes, node));
    }
  }

  private synchronized void cut(List<Integer> victims, List<Way> between) {
    List<Way> added = between.stream().filter(way -> !cut.contains(way)).toList();
    if (added.isEmpty()) {
      throw new IllegalStateException("there is nothing to cut");
    }
    requireOpen(added); // else that nothing gets through would prove nothing
    harmed.addAll(victims);
    cut.addAll(added);
    StringBuilder rules = new StringBuilder();
    for (Way way : added) {
      rules.append(
          "rule add priority 100 from %s to %s blackhole\n"
              .formatted(host(way.from()), host(way.to())));
    }
    Commands.run(within(ROUTER, List.of("ip", "-batch", "-")), rules.toString());
    requireCut(added);
  }

  /**
   * Lets each node, and the clients together, send so much and no more. What is more waits for up
   * to a second and is lost then, as at a router. The kernel needs no more for this than for a
   * network; a delay without a limit, its netem, many kernels do not have.
   */
  @Override
  public synchronized void slow(long bytesPerSecond) {
    if (bytesPerSecond < LEAST_RATE || bytesPerSecond > MOST_RATE) {
      throw new IllegalArgumentException(
          "bytesPerSecond must be %d to %d, was %d"
              .formatted(LEAST_RATE, MOST_RATE, bytesPerSecond));
    }
    if (slow) {
      throw new IllegalStateException("the network is slow already");
    }
    slow = true;
    List<String> bucket =
        List.of(
            "root tbf burst %d limit %d rate %dbps"
                .formatted(BURST, bytesPerSecond, bytesPerSecond)
                .split(" "));
    everySender("add", bucket);
    requireSlow(bytesPerSecond);
  }

  private void everySender(String verb, List<String> queueing) {
    for (int place = CLIENTS; place <= nodes; place++) {
      List<String> command = new ArrayList<>(List.of("tc", "qdisc", verb, "dev"));
      command.add(place == CLIENTS ? linkName() : UPLINK);
      command.addAll(queueing);
      Commands.run(place == CLIENTS ? command : within(place, command), "");
    }
  }

  /**
   * Sees that nothing sends faster.
   *
   * @throws ClusterException if something does: the fault did not take effect
   */
  void requireSlow(long bytesPerSecond) {
    int counted = Math.toIntExact(bytesPerSecond / 2);
    double most = bytesPerSecond * 1.2;
    for (int place = CLIENTS; place <= nodes; place++) {
      int bytes = counted + 2 * BURST; // some go at once, and some wait at the sender unseen
      double seen = counted / (place == CLIENTS ? secondsToSend(bytes) : secondsFrom(place, bytes));
      if (seen > most) {
        throw new ClusterException(
            "%s still sends %.0f bytes/s, not %d"
                .formatted(place == CLIENTS ? "this JVM" : "node " + place, seen, bytesPerSecond));
      }
    }
  }

  /** To a port where nobody listens: what a socket may not yet send, it waits with. */
  private double secondsToSend(int bytes) {
    byte[] datagram = new byte[1_000];
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSendBufferSize(BURST);
      InetSocketAddress nobody = new InetSocketAddress(host(1), Integer.parseInt(PROBED_PORT));
      long beganAt = System.nanoTime();
      for (int sent = 0; sent < bytes; sent += datagram.length) {
        socket.send(new DatagramPacket(datagram, datagram.length, nobody));
      }
      return (System.nanoTime() - beganAt) / 1e9;
    } catch (IOException e) {
      throw new ClusterException("cannot send to a node", e);
    }
  }

  private double secondsFrom(int node, int bytes) {
    try (ServerSocket server = new ServerSocket()) {
      server.bind(new InetSocketAddress(host(CLIENTS), 0));
      server.setSoTimeout(CALL_SECONDS * 1_000);
      long beganAt = System.nanoTime(); // not later: on a busy machine some would be there already
      Process sending =
          Commands.begin(
              within(
                  node,
                  List.of(
                      "timeout",
                      Integer.toString(CALL_SECONDS),
                      "bash",
                      "-c",
                      SEND,
                      "bash",
                      host(CLIENTS),
                      Integer.toString(server.getLocalPort()),
                      Integer.toString(bytes))));
      try (Socket socket = server.accept()) {
        socket.setSoTimeout(CALL_SECONDS * 1_000);
        int received = socket.getInputStream().readAllBytes().length;
        double seconds = (System.nanoTime() - beganAt) / 1e9;
        if (received != bytes) {
          throw new ClusterException(
              "node %d sent %d bytes of %d: %s"
                  .formatted(node, received, bytes, Commands.end(sending)));
        }
        return seconds;
      } finally {
        sending.destroyForcibly();
      }
    } catch (IOException e) {
      throw new ClusterException("nothing comes from node " + node, e);
    }
  }

  /**
   * Has the router hold every packet: by the kernel's netem, or where there is none by a program
   * that the kernel asks about each.
   */
  @Override
  public synchronized void delay(Duration eachWay) {
    if (eachWay.compareTo(LEAST_DELAY) < 0 || eachWay.compareTo(MOST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "eachWay must be %s to %s, was %s".formatted(LEAST_DELAY, MOST_DELAY, eachWay));
    }
    if (delayed) {
      throw new IllegalStateException("packets are held already");
    }
    long micros = eachWay.toNanos() / 1_000;
    if (hasNetem()) {
      everyLink("add", List.of("netem", "delay", micros + "us", "limit", "" + MOST_HELD));
    } else {
      delaying = delayWithoutNetem(micros);
    }
    delayed = true;
    requireDelay(eachWay);
  }

  private void everyLink(String verb, List<String> queueing) {
    for (int place = CLIENTS; place <= nodes; place++) {
      List<String> command = new ArrayList<>(List.of("tc", "qdisc", verb, "dev"));
      command.addAll(List.of(place == CLIENTS ? "clients" : "node" + place, "root"));
      command.addAll(queueing);
      Commands.run(within(ROUTER, command), "");
    }
  }

  private static boolean hasNetem() {
    try {
      Commands.run(
          List.of("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem"), "");
      return true;
    } catch (ClusterException e) {
      return false;
    }
  }

  private NodeProcess delayWithoutNetem(long micros) {
    try (InputStream program = Network.class.getResourceAsStream(DELAY_PROGRAM)) {
      Path copy = home.directory().resolve(DELAY_PROGRAM);
      Files.copy(
          Objects.requireNonNull(program, DELAY_PROGRAM),
          copy,
          StandardCopyOption.REPLACE_EXISTING);
      List<String> command = List.of("python3", copy.toString(), Long.toString(micros));
      NodeProcess started = home.addService("delay", NodeProcess.whenTold(within(ROUTER, command)));
      home.start(started);
      await(
          "a program that delays packets", started, () -> started.logOfThisRun().contains(DELAYS));
      Commands.run(within(ROUTER, iptables("--append")), "");
      return started;
    } catch (IOException e) {
      throw new ClusterException("cannot write " + DELAY_PROGRAM, e);
    }
  }

  private static List<String> iptables(String verb) {
    return List.of(
        ("iptables --wait --table mangle " + verb + " FORWARD --jump NFQUEUE --queue-num 0")
            .split(" "));
  }

  /**
   * Sees that a round trip from the clients to each node takes as long as it should.
   *
   * @throws ClusterException if one is quicker, or the quickest of many takes longer
   */
  void requireDelay(Duration eachWay) {
    Duration least = eachWay.multipliedBy(2);
    for (int node = 1; node <= nodes; node++) {
      if (!cut.contains(new Way(CLIENTS, node))) {
        Duration seen = roundTrip(node);
        for (int i = 1; i < DELAY_PROBES && seen.compareTo(least.plus(DELAY_SLACK)) > 0; i++) {
          seen = roundTrip(node);
        }
        if (seen.compareTo(least) < 0 || seen.compareTo(least.plus(DELAY_SLACK)) > 0) {
          throw new ClusterException(
              "a round trip to node %d takes %s, not %s".formatted(node, seen, least));
        }
      }
    }
  }

  /** Until a node's kernel has refused a connection. */
  Duration roundTrip(int node) {
    long beganAt = System.nanoTime();
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(host(node), Integer.parseInt(PROBED_PORT)), CALL_SECONDS * 1_000);
      throw new ClusterException("somebody listens at a port that nobody should");
    } catch (ConnectException refused) {
      return Duration.ofNanos(System.nanoTime() - beganAt);
    } catch (IOException e) {
      throw new ClusterException("cannot reach node " + node, e);
    }
  }

  private void undelay() {
    NodeProcess program = delaying;
    if (program == null) {
      everyLink("del", List.of());
    } else {
      Commands.run(within(ROUTER, iptables("--delete")), "");
      program.killIfAlive(); // and what it held is lost: TCP sends it again
      delaying = null;
    }
    delayed = false;
  }

  /**
   * Undoes every cut and lets all send freely; sees that everything reaches everything. Does
   * nothing without a fault.
   */
  @Override
  public synchronized void heal() {
    if (slow) {
      everySender("del", List.of("root"));
      slow = false;
    }
    if (delayed) {
      undelay();
    }
    if (harmed.isEmpty()) {
      return;
    }
    Commands.run(
        within(ROUTER, List.of("ip", "-batch", "-")),
        "rule flush\nrule add priority 32766 lookup main\n"); // the flush took this one too
    requireOpen(everyWay());
    cut.clear();
    harmed.clear();
  }

  @Override
  public synchronized List<Integer> unharmed() {
    return IntStream.rangeClosed(1, nodes).filter(node -> !harmed.contains(node)).boxed().toList();
  }

  private List<Way> everyWay() {
    List<Way> all = new ArrayList<>();
    for (int from = CLIENTS; from <= nodes; from++) {
      for (int to = CLIENTS; to <= nodes; to++) {
        if (from != to) {
          all.add(new Way(from, to));
        }
      }
    }
    return all;
  }

  /**
   * Waits until a connection gets through on every way: a link that was just made may lose packets
   * for a second.
   *
   * @throws ClusterException if it does not on one
   */
  void requireOpen(List<Way> ways) {
    List<Way> closed = new ArrayList<>(ways);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CALL_SECONDS);
    closed.removeAll(open(closed));
    while (!closed.isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException(
            "nothing gets through from place to place, 0 the clients: " + closed);
      }
      closed.removeAll(open(closed)); // which takes a second if it does not get through
    }
  }

  /**
   * Sees that no connection gets through on any way.
   *
   * @throws ClusterException if one does: the fault did not take effect
   */
  void requireCut(List<Way> ways) {
    List<Way> open = open(ways);
    if (!open.isEmpty()) {
      throw new ClusterException("still gets through, from place to place, 0 the clients: " + open);
    }
  }

  /** The ways on which a connection is accepted or refused, tried all at once. */
  private List<Way> open(List<Way> ways) {
    List<Process> attempts = new ArrayList<>();
    try {
      for (Way way : ways) {
        List<String> connect =
            List.of("timeout", "1", "bash", "-c", CONNECT, "bash", host(way.to()), PROBED_PORT);
        attempts.add(Commands.begin(way.from() == CLIENTS ? connect : within(way.from(), connect)));
      }
      List<Way> open = new ArrayList<>();
      for (int i = 0; i < attempts.size(); i++) {
        String said = Commands.end(attempts.get(i));
        int exit = attempts.get(i).exitValue();
        if (exit == 0 || said.contains("refused")) {
          open.add(ways.get(i));
        } else if (exit != TIMED_OUT) {
          throw new ClusterException("cannot look for a way: " + said);
        }
      }
      return open;
    } finally {
      attempts.forEach(Process::destroyForcibly);
    }
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
