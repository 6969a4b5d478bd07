package org.mqproof.cluster.pulsar;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of one Pulsar node: a member of the ZooKeeper ensemble, a bookie and a broker in one
 * JVM, so that the loss of a node is the loss of all three, as with one machine. The first node
 * also writes the cluster's metadata, once. Runs Pulsar's own main classes, by name.
 *
 * <p>Runs from a copy of this one class file before Pulsar's own jars, so it must use nothing else
 * of this library and have no nested class. Thread-safe: no state.
 */
final class PulsarNodeMain {

  private static final int ANSWER_MILLIS = 1_000;
  private static final long POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private PulsarNodeMain() {}

  /**
   * Waits for a line on the standard input, then runs the node.
   *
   * @param args the node's number, a file that exists once the cluster has its metadata, the port
   *     of ZooKeeper, the configurations of ZooKeeper, of the bookie and of the broker, ZooKeeper's
   *     directory, then the arguments of Pulsar's program that writes a cluster's metadata
   * @throws Exception if the input cannot be read
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    try {
      // By the node: only it sees its disk.
      Path member = Files.createDirectories(Path.of(args[6])).resolve("myid");
      if (!Files.exists(member)) {
        Files.writeString(member, args[0]);
      }
      new Thread(() -> runZooKeeper(args[3]), "mqproof-zookeeper").start();
      int port = Integer.parseInt(args[2]);
      while (!serves(port)) {
        LockSupport.parkNanos(POLL_INTERVAL_NANOS);
      }
      Path formed = Path.of(args[1]);
      while (!Files.exists(formed)) {
        if (args[0].equals("1")) {
          run(
              "org.apache.pulsar.PulsarClusterMetadataSetup",
              Arrays.copyOfRange(args, 7, args.length));
          Files.createFile(formed);
        } else {
          LockSupport.parkNanos(POLL_INTERVAL_NANOS);
        }
      }
      run(
          "org.apache.pulsar.PulsarBrokerStarter",
          "--run-bookie",
          "--bookie-conf",
          args[4],
          "--broker-conf",
          args[5]);
    } catch (Exception e) {
      end(e);
    }
  }

  private static void runZooKeeper(String configuration) {
    try {
      run("org.apache.zookeeper.server.quorum.QuorumPeerMain", configuration);
      end(new IllegalStateException("ZooKeeper has ended"));
    } catch (Exception e) {
      end(e);
    }
  }

  /** Whether this node's ZooKeeper is part of a majority, by its answer to one of its commands. */
  private static boolean serves(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.contains("Mode: ");
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private static void run(String mainClass, String... arguments)
      throws ReflectiveOperationException {
    Class.forName(mainClass).getMethod("main", String[].class).invoke(null, (Object) arguments);
  }

  private static void end(Exception e) {
    e.printStackTrace();
    System.err.println("this node ends: " + e); // last, where the owner looks
    Runtime.getRuntime().halt(1); // an orderly exit would wait for the other threads
  }
}
