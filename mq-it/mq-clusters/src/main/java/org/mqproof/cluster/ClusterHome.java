package org.mqproof.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The directory, the ports and the processes of one cluster, which all go together: at {@link
 * #close()}, at the latest when this JVM ends, and by the {@link Guard} when it is killed.
 *
 * <p>Thread-safe. Starting a node and closing exclude each other, so no node starts after the end.
 */
final class ClusterHome implements AutoCloseable {

  private final Path directory;
  private final Ports ports;
  private final Guard guard;
  private final Thread hook;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<NodeProcess> services = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Network network;
  private volatile @Nullable Disks disks;
  private volatile @Nullable Containers containers;
  private @Nullable Security security; // guarded by this

  private ClusterHome(Path directory, Ports ports, Guard guard) {
    this.directory = directory;
    this.ports = ports;
    this.guard = guard;
    hook = new Thread(this::cleanUp, "close " + directory.getFileName());
  }

  /**
   * Makes a home without nodes.
   *
   * @param system the name of the system, part of the directory's name
   */
  static ClusterHome create(String system) {
    Ports ports = Ports.take();
    try {
      Path directory = Files.createTempDirectory("mqproof-" + system + "-");
      ClusterHome home = new ClusterHome(directory, ports, guard(directory));
      Runtime.getRuntime().addShutdownHook(home.hook);
      return home;
    } catch (IOException e) {
      ports.close();
      throw new ClusterException("cannot make a home for a cluster of " + system, e);
    }
  }

  /** Nobody else deletes the directory if there is no guard. */
  private static Guard guard(Path directory) throws IOException {
    try {
      return new Guard(directory);
    } catch (IOException e) {
      try {
        GuardMain.deleteTree(directory);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  Path directory() {
    return directory;
  }

  Path directory(int node) {
    return directory.resolve("node-" + node);
  }

  /**
   * A port that is this cluster's own.
   *
   * @param index 1 to 19
   */
  int port(int index) {
    return ports.port(index);
  }

  /** Gives each node to come a network of its own; called before the first is added. */
  void separate(int nodesToCome) {
    Network made = new Network(this, ports.number(), nodesToCome);
    network = made;
    made.make();
  }

  /** Lets {@link #onDisk} make disks; called before the first node is added. */
  void allowDisks() {
    disks = new Disks(this);
  }

  /**
   * The disks of processes.
   *
   * @throws UnsupportedOperationException if they have none of their own
   */
  Disks disks() {
    Disks made = disks;
    if (made == null) {
      throw new UnsupportedOperationException(
          "the nodes have no disks of their own: to cut their power start the cluster with -D"
              + ClusterProvider.POWER_PROPERTY
              + "=true");
    }
    return made;
  }

  boolean hasDisks() {
    return disks != null;
  }

  /**
   * Puts a directory on a disk, if nodes have disks of their own; called before they are added.
   *
   * @param nodesToCome the nodes that see it, numbered from 1
   */
  void onDisk(Path data, int... nodesToCome) throws IOException {
    Disks allowed = disks;
    if (allowed != null) {
      allowed.make(Files.createDirectories(data), nodesToCome);
    }
  }

  /** Whether each node has a network of its own. */
  boolean isSeparate() {
    return network != null;
  }

  /**
   * The network of processes.
   *
   * @throws UnsupportedOperationException if they have none of their own
   */
  Network network() {
    Network made = network;
    if (made == null) {
      throw new UnsupportedOperationException(
          "the nodes share the loopback interface: for faults of the network start the cluster"
              + " with -D"
              + ClusterProvider.NETWORK_PROPERTY
              + "=true");
    }
    return made;
  }

  /**
   * What is between the nodes.
   *
   * @throws UnsupportedOperationException if they have no networks of their own
   */
  synchronized Links links() {
    return containers == null ? network() : containers;
  }

  private @Nullable Links linksIfSeparate() {
    return containers == null ? network : containers;
  }

  /** The address at which a node listens. */
  String host(int node) {
    Network made = network;
    return made == null ? "127.0.0.1" : made.host(node);
  }

  /**
   * The certificates of a cluster of so many nodes, made when they are first asked for.
   *
   * @return empty if nobody asked for TLS
   */
  synchronized Optional<Security> security(int nodesToCome) {
    if (security == null && Security.isAskedFor()) {
      security =
          Security.make(
              directory.resolve("tls"),
              IntStream.rangeClosed(1, nodesToCome).mapToObj(this::host).distinct().toList());
    }
    return Optional.ofNullable(security);
  }

  /** The certificates, if there are any. */
  synchronized Optional<Security> security() {
    return Optional.ofNullable(security);
  }

  /** Where so many nodes, numbered from 1, listen: {@code host:port}, separated by commas. */
  String addresses(int nodes, IntUnaryOperator port) {
    return addresses(IntStream.rangeClosed(1, nodes).boxed().toList(), port);
  }

  /** Where some nodes listen: {@code host:port}, separated by commas. */
  String addresses(List<Integer> some, IntUnaryOperator port) {
    return some.stream()
        .map(node -> host(node) + ":" + port.applyAsInt(node))
        .collect(Collectors.joining(","));
  }

  /** Makes a command run in the network of a node, if it has one of its own. */
  void enter(int node, ProcessBuilder command) {
    Network made = network;
    if (made != null) {
      made.enter(node, command);
    }
  }

  /**
   * The nodes worth asking: those that neither the other nodes nor the clients are cut off from, or
   * all if there is none. A node that is cut off says what it knew before.
   */
  List<Integer> reachable() {
    Links links = linksIfSeparate();
    List<Integer> unharmed = links == null ? List.of() : links.unharmed();
    return unharmed.isEmpty()
        ? IntStream.rangeClosed(1, nodes().size()).boxed().toList()
        : unharmed;
  }

  void healNetwork() {
    Links links = linksIfSeparate();
    if (links != null) {
      links.heal();
    }
  }

  /** Has a command run after this JVM's end, however that comes: see {@link Guard#atEnd}. */
  void atEnd(List<String> command) throws IOException {
    guard.atEnd(command);
  }

  /** Adds what is closed when the processes are dead, and before the directory is deleted. */
  synchronized void add(Containers added) {
    containers = added;
  }

  /** Adds the next node without starting it. */
  synchronized void add(NodeProcess node) {
    nodes.add(node);
  }

  /** Adds the next node, numbered from 1, without starting it. */
  synchronized void add(ProcessBuilder command) {
    int number = nodes.size() + 1;
    enter(number, command);
    Disks allowed = disks;
    if (allowed != null) {
      allowed.enter(number, command);
    }
    nodes.add(new ChildProcess("node " + number, command, directory(number).resolve("node.log")));
  }

  /**
   * Adds a process that the nodes need and no fault is done to, without starting it.
   *
   * @param name what it is, also the name of its log
   */
  synchronized NodeProcess addService(String name, ProcessBuilder command) {
    NodeProcess service = new ChildProcess(name, command, directory.resolve(name + ".log"));
    services.add(service);
    return service;
  }

  synchronized List<NodeProcess> nodes() {
    return List.copyOf(nodes);
  }

  synchronized NodeProcess node(int number) {
    if (number < 1 || number > nodes.size()) {
      throw new IllegalArgumentException(
          "node must be 1 to %d, was %d".formatted(nodes.size(), number));
    }
    return nodes.get(number - 1);
  }

  synchronized void start(NodeProcess node) {
    requireOpen();
    node.start(guard);
  }

  /**
   * Waits for one poll interval.
   *
   * @throws IllegalStateException as soon as the cluster is closed
   */
  void pauseBetweenLooks() throws InterruptedException {
    if (closed.await(50, TimeUnit.MILLISECONDS)) {
      requireOpen();
    }
  }

  void requireOpen() {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the cluster is closed");
    }
  }

  ProcessHandle guard() {
    return guard.handle();
  }

  @Override
  public void close() {
    cleanUp();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return; // the hook runs or has run, and finds nothing to do
    }
  }

  private synchronized void cleanUp() {
    if (closed.getCount() == 0) {
      return;
    }
    closed.countDown();
    try {
      nodes.forEach(NodeProcess::killIfAlive);
      services.forEach(NodeProcess::killIfAlive);
      if (containers != null) {
        containers.close();
      }
      Network made = network;
      if (made != null) {
        made.awaitGone();
      }
      Disks mounted = disks;
      if (mounted != null) {
        mounted.awaitGone();
      }
      GuardMain.deleteTree(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    } finally {
      guard.close();
      ports.close();
    }
  }
}
