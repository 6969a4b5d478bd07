package org.mqproof.cluster.network;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.mqproof.cluster.process.Commands;

/**
 * The cuts in the network of a cluster. A cut is a rule of the router that drops packets and tells
 * nobody, as a broken cable does. Not thread-safe.
 */
final class Cuts {

  private final Namespaces places;
  private final Probes probes;
  private final Set<Way> cut = new HashSet<>();
  private final Set<Integer> harmed = new HashSet<>();

  Cuts(Namespaces places, Probes probes) {
    this.places = places;
    this.probes = probes;
  }

  /**
   * Cuts ways, and sees that nothing gets through any more.
   *
   * @param victims the nodes that this is done to
   * @throws IllegalStateException if all are cut already
   */
  void cut(List<Integer> victims, List<Way> between) {
    List<Way> added = between.stream().filter(way -> !cut.contains(way)).toList();
    if (added.isEmpty()) {
      throw new IllegalStateException("there is nothing to cut");
    }
    probes.requireOpen(added); // else that nothing gets through would prove nothing
    harmed.addAll(victims);
    cut.addAll(added);
    StringBuilder rules = new StringBuilder();
    for (Way way : added) {
      rules.append(
          "rule add priority 100 from %s to %s blackhole\n"
              .formatted(places.host(way.from()), places.host(way.to())));
    }
    Commands.run(places.within(Namespaces.ROUTER, List.of("ip", "-batch", "-")), rules.toString());
    probes.requireCut(added);
  }

  /** Undoes every cut, and sees that everything reaches everything. Does nothing without a cut. */
  void heal() {
    if (harmed.isEmpty()) {
      return;
    }
    Commands.run(
        places.within(Namespaces.ROUTER, List.of("ip", "-batch", "-")),
        "rule flush\nrule add priority 32766 lookup main\n"); // the flush took this one too
    probes.requireOpen(everyWay());
    cut.clear();
    harmed.clear();
  }

  /** The nodes that nothing was cut at since {@link #heal()}. */
  List<Integer> unharmed() {
    return nodes().filter(node -> !harmed.contains(node)).boxed().toList();
  }

  /** The nodes that clients are not cut off from. */
  List<Integer> reached() {
    return nodes()
        .filter(node -> !cut.contains(new Way(Namespaces.CLIENTS, node)))
        .boxed()
        .toList();
  }

  private IntStream nodes() {
    return IntStream.rangeClosed(1, places.nodes());
  }

  List<Way> everyWay() {
    List<Way> all = new ArrayList<>();
    for (int from = Namespaces.CLIENTS; from <= places.nodes(); from++) {
      for (int to = Namespaces.CLIENTS; to <= places.nodes(); to++) {
        if (from != to) {
          all.add(new Way(from, to));
        }
      }
    }
    return all;
  }
}
