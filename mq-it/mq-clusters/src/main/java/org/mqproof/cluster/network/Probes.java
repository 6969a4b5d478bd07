package org.mqproof.cluster.network;

import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.Commands;

/**
 * Sees whether the network of a cluster does what it was told, by connections and packets of its
 * own. Thread-safe: no state but the namespaces.
 */
final class Probes {

  /** What may be sent at once on a slow network, in bytes: some packets. */
  static final int BURST = 8_192;

  /** Nothing listens there: a node that is reached refuses at once, even if it is paused. */
  private static final String PROBED_PORT = "19999";

  private static final String SEND = "exec 3<>\"/dev/tcp/$1/$2\" && head -c \"$3\" /dev/zero >&3";
  private static final String CONNECT = "exec 3<>\"/dev/tcp/$1/$2\"";
  private static final int TIMED_OUT = 124; // what timeout exits with

  /** What the quickest of many round trips may take longer: a busy machine has no quick ones. */
  private static final Duration DELAY_SLACK = Duration.ofMillis(3);

  private static final int DELAY_PROBES = 50;

  private static final int CALL_SECONDS = Namespaces.CALL_SECONDS;

  private final Namespaces places;

  Probes(Namespaces places) {
    this.places = places;
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
            List.of(
                "timeout", "1", "bash", "-c", CONNECT, "bash", places.host(way.to()), PROBED_PORT);
        attempts.add(Commands.begin(places.at(way.from(), connect)));
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
   * Sees that nothing sends faster.
   *
   * @throws ClusterException if something does: the fault did not take effect
   */
  void requireSlow(long bytesPerSecond) {
    int counted = Math.toIntExact(bytesPerSecond / 2);
    double most = bytesPerSecond * 1.2;
    for (int place = Namespaces.CLIENTS; place <= places.nodes(); place++) {
      int bytes = counted + 2 * BURST; // some go at once, and some wait at the sender unseen
      double seen =
          counted
              / (place == Namespaces.CLIENTS ? secondsToSend(bytes) : secondsFrom(place, bytes));
      if (seen > most) {
        throw new ClusterException(
            "%s still sends %.0f bytes/s, not %d"
                .formatted(
                    place == Namespaces.CLIENTS ? "this JVM" : "node " + place,
                    seen,
                    bytesPerSecond));
      }
    }
  }

  /** To a port where nobody listens: what a socket may not yet send, it waits with. */
  private double secondsToSend(int bytes) {
    byte[] datagram = new byte[1_000];
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSendBufferSize(BURST);
      InetSocketAddress nobody =
          new InetSocketAddress(places.host(1), Integer.parseInt(PROBED_PORT));
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
      server.bind(new InetSocketAddress(places.host(Namespaces.CLIENTS), 0));
      server.setSoTimeout(CALL_SECONDS * 1_000);
      long beganAt = System.nanoTime(); // not later: on a busy machine some would be there already
      Process sending =
          Commands.begin(
              places.within(
                  node,
                  List.of(
                      "timeout",
                      Integer.toString(CALL_SECONDS),
                      "bash",
                      "-c",
                      SEND,
                      "bash",
                      places.host(Namespaces.CLIENTS),
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
   * Sees that a round trip from the clients takes as long as it should.
   *
   * @param reached the nodes that clients are not cut off from
   * @throws ClusterException if one is quicker, or the quickest of many takes longer
   */
  void requireDelay(Duration eachWay, List<Integer> reached) {
    Duration least = eachWay.multipliedBy(2);
    for (int node : reached) {
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

  /** Until a node's kernel has refused a connection. */
  Duration roundTrip(int node) {
    long beganAt = System.nanoTime();
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(places.host(node), Integer.parseInt(PROBED_PORT)),
          CALL_SECONDS * 1_000);
      throw new ClusterException("somebody listens at a port that nobody should");
    } catch (ConnectException refused) {
      return Duration.ofNanos(System.nanoTime() - beganAt);
    } catch (IOException e) {
      throw new ClusterException("cannot reach node " + node, e);
    }
  }
}
