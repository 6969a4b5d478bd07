package org.mqproof.cluster.process;

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
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.security.Security;

/**
 * The directory, the ports and the processes of one cluster, which all go together: at {@link
 * #close()}, at the latest when this JVM ends, and by the {@link Guard} when it is killed.
 *
 * <p>Thread-safe. Starting a node and closing exclude each other, so no node starts after the end.
 */
public final class ClusterHome implements AutoCloseable {

  static final String LOOPBACK = "127.0.0.1";

  private final Path directory;
  private final Ports ports;
  private final Guard guard;
  private final Thread hook;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<NodeProcess> services = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Links links;
  private volatile @Nullable Disks disks;
  private @Nullable Security security; // guarded by this
  private @Nullable NodeProgram program; // guarded by this

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
   * @return a home, to be closed
   * @throws ClusterException if there is no free port, or no directory or guard can be made
   */
  public static ClusterHome create(String system) {
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
        deleteTree(directory);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  /**
   * Deletes a directory and all in it; does nothing where there is none.
   *
   * @param some the directory
   * @throws IOException if something is still there after 20 s
   */
  public static void deleteTree(Path some) throws IOException {
    GuardMain.deleteTree(some);
  }

  /**
   * The cluster's directory, which is deleted with it.
   *
   * @return a directory that exists
   */
  public Path directory() {
    return directory;
  }

  /**
   * The place for a node's files.
   *
   * @param node from 1
   * @return a directory that the caller makes
   */
  public Path directory(int node) {
    return directory.resolve("node-" + node);
  }

  /**
   * A port that is this cluster's own.
   *
   * @param index 1 to 19
   * @return the port, at which nobody else listens
   */
  public int port(int index) {
    return ports.port(index);
  }

  /**
   * Which of the clusters this is that run on this machine.
   *
   * @return from 0 to 599
   */
  public int number() {
    return ports.number();
  }

  /**
   * Adds what is between the nodes, before the first of them.
   *
   * @param added is closed when the processes are dead
   */
  public void add(Links added) {
    links = added;
  }

  /**
   * Adds what makes disks, before the first node.
   *
   * @param added is closed when the processes are dead
   */
  public void add(Disks added) {
    disks = added;
  }

  /**
   * The disks of processes.
   *
   * @return those that were added
   * @throws UnsupportedOperationException if they have none of their own
   */
  public Disks disks() {
    Disks made = disks;
    if (made == null) {
      throw new UnsupportedOperationException(
          "the nodes have no disks of their own: to cut their power start the cluster with -D"
              + ClusterProvider.POWER_PROPERTY
              + "=true");
    }
    return made;
  }

  /**
   * Whether nodes have disks of their own.
   *
   * @return true if {@link #disks()} has an answer
   */
  public boolean hasDisks() {
    return disks != null;
  }

  /**
   * Puts a directory on a disk, if nodes have disks of their own; called before they are added.
   *
   * @param data the directory
   * @param nodesToCome the nodes that see it, numbered from 1
   * @throws IOException if the directory cannot be made
   */
  public void onDisk(Path data, int... nodesToCome) throws IOException {
    Disks allowed = disks;
    if (allowed != null) {
      allowed.make(Files.createDirectories(data), nodesToCome);
    }
  }

  /**
   * Whether each node has a network of its own.
   *
   * @return true if {@link #links()} has an answer
   */
  public boolean isSeparate() {
    return links != null;
  }

  /**
   * What is between the nodes.
   *
   * @return those that were added
   * @throws UnsupportedOperationException if they have no networks of their own
   */
  public Links links() {
    Links made = links;
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
   * The address at which a node listens.
   *
   * @param node from 1
   * @return an IP address
   */
  public String host(int node) {
    Links made = links;
    return made == null ? LOOPBACK : made.host(node);
  }

  /**
   * The certificates of a cluster of so many nodes, made when they are first asked for.
   *
   * @param nodesToCome how many nodes
   * @return empty if nobody asked for TLS
   */
  public synchronized Optional<Security> security(int nodesToCome) {
    if (security == null && Security.isAskedFor()) {
      security =
          Security.make(
              directory.resolve("tls"),
              IntStream.rangeClosed(1, nodesToCome).mapToObj(this::host).distinct().toList());
    }
    return Optional.ofNullable(security);
  }

  /**
   * The certificates.
   *
   * @return empty if nobody asked for them
   */
  public synchronized Optional<Security> security() {
    return Optional.ofNullable(security);
  }

  /**
   * Where so many nodes, numbered from 1, listen.
   *
   * @param nodesToCome how many
   * @param port the port of a node
   * @return {@code host:port}, separated by commas
   */
  public String addresses(int nodesToCome, IntUnaryOperator port) {
    return addresses(IntStream.rangeClosed(1, nodesToCome).boxed().toList(), port);
  }

  /**
   * Where some nodes listen.
   *
   * @param some their numbers
   * @param port the port of a node
   * @return {@code host:port}, separated by commas
   */
  public String addresses(List<Integer> some, IntUnaryOperator port) {
    return some.stream()
        .map(node -> host(node) + ":" + port.applyAsInt(node))
        .collect(Collectors.joining(","));
  }

  /**
   * Makes a command run in the network of a node, if it has one of its own.
   *
   * @param node from 1
   * @param command is changed
   */
  public void enter(int node, ProcessBuilder command) {
    Links made = links;
    if (made != null) {
      made.enter(node, command);
    }
  }

  /**
   * The nodes worth asking: those that neither the other nodes nor the clients are cut off from, or
   * all if there is none. A node that is cut off says what it knew before.
   *
   * @return numbers from 1
   */
  public List<Integer> reachable() {
    Links made = links;
    List<Integer> unharmed = made == null ? List.of() : made.unharmed();
    return unharmed.isEmpty()
        ? IntStream.rangeClosed(1, nodes().size()).boxed().toList()
        : unharmed;
  }

  void healNetwork() {
    Links made = links;
    if (made != null) {
      made.heal();
    }
  }

  /**
   * Has a command run after this JVM's end, however that comes: see {@link Guard#atEnd}.
   *
   * @param command no word of which has a tab or a line end in it
   * @throws IOException if the guard is dead
   */
  public void atEnd(List<String> command) throws IOException {
    guard.atEnd(command);
  }

  /**
   * Adds the next node, numbered from 1, without starting it.
   *
   * @param node a process that was never started
   */
  public synchronized void add(NodeProcess node) {
    nodes.add(node);
  }

  /**
   * Adds a child process as the next node, numbered from 1, without starting it.
   *
   * @param command what to run; it must wait for a line on its standard input before it does
   *     anything that needs cleaning up, see {@link NodeProcess#whenTold}. Its log is {@code
   *     node.log} in the node's directory.
   */
  public synchronized void add(ProcessBuilder command) {
    int number = nodes.size() + 1;
    enter(number, command);
    Disks allowed = disks;
    if (allowed != null) {
      allowed.enter(number, command);
    }
    nodes.add(new ChildProcess("node " + number, command, directory(number).resolve("node.log")));
  }

  /**
   * Adds a JVM as the next node, numbered from 1, without starting it.
   *
   * @param some what it runs, the same for all nodes
   * @param options of the JVM, besides those that all nodes have
   * @param arguments of the program
   * @throws IOException if its directory for temporary files cannot be made
   */
  public synchronized void add(NodeProgram some, List<String> options, List<String> arguments)
      throws IOException {
    Path own = directory(nodes.size() + 1);
    Path temporary = Files.createDirectories(own.resolve("tmp"));
    List<String> all = new ArrayList<>(options);
    all.addAll(Java.nodeOptions(temporary));
    add(some.command(all, arguments).directory(own.toFile()));
    program = some;
  }

  /**
   * Adds a process that the nodes need and no fault is done to, without starting it.
   *
   * @param name what it is, also the name of its log
   * @param command as for {@link #add(ProcessBuilder)}
   * @return the process
   */
  public synchronized NodeProcess addService(String name, ProcessBuilder command) {
    NodeProcess service = new ChildProcess(name, command, directory.resolve(name + ".log"));
    services.add(service);
    return service;
  }

  /**
   * The nodes that were added.
   *
   * @return node 1 first
   */
  public synchronized List<NodeProcess> nodes() {
    return List.copyOf(nodes);
  }

  /**
   * A node that was added.
   *
   * @param number from 1
   * @return its process
   */
  public synchronized NodeProcess node(int number) {
    if (number < 1 || number > nodes.size()) {
      throw new IllegalArgumentException(
          "node must be 1 to %d, was %d".formatted(nodes.size(), number));
    }
    return nodes.get(number - 1);
  }

  /**
   * Starts a node or a service.
   *
   * @param node it is dead, or was never started
   * @throws ClusterException if it cannot be started
   * @throws IllegalStateException if it is not dead, or the cluster is closed
   */
  public synchronized void start(NodeProcess node) {
    requireOpen();
    node.start(guard);
  }

  /**
   * Waits for one poll interval.
   *
   * @throws InterruptedException if the thread is interrupted meanwhile
   * @throws IllegalStateException as soon as the cluster is closed
   */
  public void pauseBetweenLooks() throws InterruptedException {
    if (closed.await(50, TimeUnit.MILLISECONDS)) {
      requireOpen();
    }
  }

  /**
   * Sees that the cluster is not closed.
   *
   * @throws IllegalStateException if it is
   */
  public void requireOpen() {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the cluster is closed");
    }
  }

  /**
   * The process that cleans up after this JVM.
   *
   * @return alive until the home is closed
   */
  public ProcessHandle guard() {
    return guard.handle();
  }

  @Override
  public void close() {
    writeArchive();
    cleanUp();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return; // the hook runs or has run, and finds nothing to do
    }
  }

  /** Not as this JVM ends, which is no time to wait. */
  private synchronized void writeArchive() {
    NodeProgram run = program;
    if (run != null && closed.getCount() > 0) {
      try {
        for (NodeProcess node : nodes) {
          run.writeArchive(node);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write into the cache", e);
      }
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
      Links made = links;
      if (made != null) {
        made.close();
      }
      Disks mounted = disks;
      if (mounted != null) {
        mounted.close();
      }
      deleteTree(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    } finally {
      guard.close();
      ports.close();
    }
  }
}
