package org.mqproof.cluster.network;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.NodeProcess;

/** Makes the network of a cluster slow, or its ways long. Not thread-safe. */
final class Shaping {

  private static final long LEAST_RATE = 10_000;
  private static final long MOST_RATE = 100_000_000;

  private static final Duration LEAST_DELAY = Duration.ofNanos(100_000);
  private static final Duration MOST_DELAY = Duration.ofMillis(250);
  private static final int MOST_HELD = 1_000_000;

  private static final String DELAY_PROGRAM = "packet_delay.py";
  private static final String DELAYS = "holds packets"; // what that says when it does

  private final ClusterHome home;
  private final Namespaces places;
  private final Probes probes;
  private boolean slow;
  private boolean delayed;
  private @Nullable NodeProcess delaying; // without netem

  Shaping(ClusterHome home, Namespaces places, Probes probes) {
    this.home = home;
    this.places = places;
    this.probes = probes;
  }

  /**
   * Lets each node, and the clients together, send so much and no more. What is more waits for up
   * to a second and is lost then, as at a router. The kernel needs no more for this than for a
   * network; a delay without a limit, its netem, many kernels do not have.
   */
  void slow(long bytesPerSecond) {
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
                .formatted(Probes.BURST, bytesPerSecond, bytesPerSecond)
                .split(" "));
    everySender("add", bucket);
    probes.requireSlow(bytesPerSecond);
  }

  private void everySender(String verb, List<String> queueing) {
    for (int place = Namespaces.CLIENTS; place <= places.nodes(); place++) {
      List<String> command = new ArrayList<>(List.of("tc", "qdisc", verb, "dev"));
      command.add(place == Namespaces.CLIENTS ? places.linkName() : Namespaces.UPLINK);
      command.addAll(queueing);
      Commands.run(places.at(place, command), "");
    }
  }

  /**
   * Has the router hold every packet: by the kernel's netem, or where there is none by a program
   * that the kernel asks about each.
   *
   * @param reached the nodes that clients are not cut off from
   */
  void delay(Duration eachWay, List<Integer> reached) {
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
    probes.requireDelay(eachWay, reached);
  }

  private void everyLink(String verb, List<String> queueing) {
    for (int place = Namespaces.CLIENTS; place <= places.nodes(); place++) {
      List<String> command = new ArrayList<>(List.of("tc", "qdisc", verb, "dev"));
      command.addAll(List.of(Namespaces.routerEnd(place), "root"));
      command.addAll(queueing);
      Commands.run(places.within(Namespaces.ROUTER, command), "");
    }
  }

  static boolean hasNetem() {
    try {
      Commands.run(
          List.of("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem"), "");
      return true;
    } catch (ClusterException e) {
      return false;
    }
  }

  private NodeProcess delayWithoutNetem(long micros) {
    try (InputStream program = Shaping.class.getResourceAsStream(DELAY_PROGRAM)) {
      Path copy = home.directory().resolve(DELAY_PROGRAM);
      Files.copy(
          Objects.requireNonNull(program, DELAY_PROGRAM),
          copy,
          StandardCopyOption.REPLACE_EXISTING);
      List<String> command = List.of("python3", copy.toString(), Long.toString(micros));
      NodeProcess started =
          home.addService("delay", NodeProcess.whenTold(places.within(Namespaces.ROUTER, command)));
      home.start(started);
      places.await(
          "a program that delays packets", started, () -> started.logOfThisRun().contains(DELAYS));
      Commands.run(places.within(Namespaces.ROUTER, iptables("--append")), "");
      return started;
    } catch (IOException e) {
      throw new ClusterException("cannot write " + DELAY_PROGRAM, e);
    }
  }

  static List<String> iptables(String verb) {
    return List.of(
        ("iptables --wait --table mangle " + verb + " FORWARD --jump NFQUEUE --queue-num 0")
            .split(" "));
  }

  private void undelay() {
    NodeProcess program = delaying;
    if (program == null) {
      everyLink("del", List.of());
    } else {
      Commands.run(places.within(Namespaces.ROUTER, iptables("--delete")), "");
      program.killIfAlive(); // and what it held is lost: TCP sends it again
      delaying = null;
    }
    delayed = false;
  }

  /** Lets all send freely again. Does nothing without a fault. */
  void heal() {
    if (slow) {
      everySender("del", List.of("root"));
      slow = false;
    }
    if (delayed) {
      undelay();
    }
  }
}
