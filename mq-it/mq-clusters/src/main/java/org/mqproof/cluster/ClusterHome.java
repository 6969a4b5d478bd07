package org.mqproof.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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

  /** Adds the next node, numbered from 1, without starting it. */
  synchronized void add(ProcessBuilder command) {
    int number = nodes.size() + 1;
    nodes.add(new NodeProcess("node " + number, command, directory(number).resolve("node.log")));
  }

  /**
   * Adds a process that the nodes need and no fault is done to, without starting it.
   *
   * @param name what it is, also the name of its log
   */
  synchronized NodeProcess addService(String name, ProcessBuilder command) {
    NodeProcess service = new NodeProcess(name, command, directory.resolve(name + ".log"));
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
   * Waits a little between two looks at something.
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
      GuardMain.deleteTree(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    } finally {
      guard.close();
      ports.close();
    }
  }
}
