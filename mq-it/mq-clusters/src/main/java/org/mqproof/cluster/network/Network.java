package org.mqproof.cluster.network;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.Links;

/**
 * A network of its own for each node of a cluster, and the faults in it.
 *
 * <p>Thread-safe. Every call ends within some 20 s.
 */
final class Network implements Links {

  private final Namespaces places;
  private final Probes probes;
  private final Cuts cuts;
  private final Shaping shaping;

  private Network(ClusterHome home, int nodes) {
    places = new Namespaces(home, nodes);
    probes = new Probes(places);
    cuts = new Cuts(places, probes);
    shaping = new Shaping(home, places, probes);
  }

  /**
   * Makes one, and sees that everything reaches everything.
   *
   * @param home gets it; its services hold the namespaces
   * @param nodes how many, at least 1
   */
  static Network in(ClusterHome home, int nodes) {
    Network network = new Network(home, nodes);
    home.add(network); // first: what is half made is cleaned up as well
    network.make();
    return network;
  }

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
      if (!Shaping.hasNetem()) {
        List<String> queue = new ArrayList<>(List.of("unshare", "--net"));
        queue.addAll(Shaping.iptables("--append"));
        Commands.run(queue, "");
        Commands.run(List.of("python3", "--version"), "");
      }
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.of(why + e.getMessage());
    }
  }

  private synchronized void make() {
    places.make();
    probes.requireOpen(cuts.everyWay());
  }

  Probes probes() {
    return probes;
  }

  /** The one link that is seen from outside. */
  String linkName() {
    return places.linkName();
  }

  @Override
  public String host(int node) {
    return places.host(node);
  }

  @Override
  public void enter(int node, ProcessBuilder command) {
    places.enter(node, command);
  }

  @Override
  public void isolate(int node) {
    requireNode(node);
    List<Way> between = new ArrayList<>();
    for (int other = 1; other <= places.nodes(); other++) {
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
      between.add(new Way(Namespaces.CLIENTS, node));
      between.add(new Way(node, Namespaces.CLIENTS));
    }
    cut(fromClients, between);
  }

  private void requireNode(int node) {
    if (node < 1 || node > places.nodes()) {
      throw new IllegalArgumentException(
          "node must be 1 to %d, was %d".formatted(places.nodes(), node));
    }
  }

  private synchronized void cut(List<Integer> victims, List<Way> between) {
    cuts.cut(victims, between);
  }

  @Override
  public synchronized void slow(long bytesPerSecond) {
    shaping.slow(bytesPerSecond);
  }

  @Override
  public synchronized void delay(Duration eachWay) {
    shaping.delay(eachWay, cuts.reached());
  }

  @Override
  public synchronized void heal() {
    shaping.heal();
    cuts.heal();
  }

  @Override
  public synchronized List<Integer> unharmed() {
    return cuts.unharmed();
  }

  @Override
  public void close() {
    places.awaitGone();
  }
}
