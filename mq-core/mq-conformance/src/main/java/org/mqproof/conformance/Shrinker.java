package org.mqproof.conformance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.mqproof.conformance.Program.Home;
import org.mqproof.conformance.Step.Batch;
import org.mqproof.conformance.Step.Order;
import org.mqproof.conformance.Step.Pick;

/** Finds a smaller program that still fails. For one thread. */
final class Shrinker {

  private final Predicate<Program> fails;
  private final Predicate<Program> mayGoOn;

  /**
   * A shrinker.
   *
   * @param fails whether a program fails as the first one did
   * @param mayGoOn whether there is time to try another one
   */
  Shrinker(Predicate<Program> fails, Predicate<Program> mayGoOn) {
    this.fails = fails;
    this.mayGoOn = mayGoOn;
  }

  /** The smallest program that was found. */
  Program shrink(Program failing) {
    Program best = failing;
    boolean smaller = true;
    while (smaller) {
      smaller = false;
      for (Program candidate : candidates(best)) {
        if (!mayGoOn.test(candidate)) {
          return best;
        }
        if (fails.test(candidate)) {
          best = candidate;
          smaller = true;
          break;
        }
      }
    }
    return best;
  }

  private static List<Program> candidates(Program program) {
    List<Program> candidates = new ArrayList<>();
    for (List<Step> steps : smaller(program.steps())) {
      candidates.add(program.with(steps));
    }
    if (program.connections() > 1) {
      candidates.add(
          new Program(
              program.queues(),
              onOneConnection(program.senders()),
              onOneConnection(program.receivers()),
              program.steps()));
    }
    return candidates;
  }

  private static List<Home> onOneConnection(List<Home> homes) {
    return homes.stream().map(home -> new Home(0, home.queue())).toList();
  }

  /** Lists with parts left out first, the largest parts first; then such with one simpler step. */
  private static List<List<Step>> smaller(List<Step> steps) {
    List<List<Step>> all = new ArrayList<>();
    for (int part = steps.size(); part >= 1; part /= 2) {
      for (int from = 0; from < steps.size(); from += part) {
        List<Step> rest = new ArrayList<>(steps.subList(0, from));
        rest.addAll(steps.subList(Math.min(steps.size(), from + part), steps.size()));
        all.add(rest);
      }
    }
    for (int i = 0; i < steps.size(); i++) {
      for (List<Step> simpler : simpler(steps.get(i))) {
        List<Step> changed = new ArrayList<>(steps.subList(0, i));
        changed.addAll(simpler);
        changed.addAll(steps.subList(i + 1, steps.size()));
        all.add(changed);
      }
    }
    return all;
  }

  /** What may stand in place of a step. */
  private static List<List<Step>> simpler(Step step) {
    List<List<Step>> all = new ArrayList<>();
    if (step instanceof Step.Parallel parallel) {
      List<Step> inTurn = new ArrayList<>();
      parallel.tracks().forEach(inTurn::addAll);
      all.add(inTurn);
      List<List<Step>> tracks = parallel.tracks();
      for (int i = 0; i < tracks.size(); i++) {
        List<List<Step>> others = new ArrayList<>(tracks);
        List<Step> track = others.remove(i);
        if (others.size() > 1) {
          all.add(List.of(new Step.Parallel(others)));
        }
        for (List<Step> smaller : smaller(track)) {
          if (!smaller.isEmpty()) {
            List<List<Step>> changed = new ArrayList<>(tracks);
            changed.set(i, smaller);
            all.add(List.of(new Step.Parallel(changed)));
          }
        }
      }
    } else if (step instanceof Step.Repeat repeat) {
      all.add(repeat.steps());
      if (repeat.times() > 2) {
        all.add(List.of(new Step.Repeat(repeat.times() / 2, repeat.steps())));
        all.add(List.of(new Step.Repeat(repeat.times() - 1, repeat.steps())));
      }
      for (List<Step> smaller : smaller(repeat.steps())) {
        if (!smaller.isEmpty()) {
          all.add(List.of(new Step.Repeat(repeat.times(), smaller)));
        }
      }
    } else if (step instanceof Step.Send send) {
      for (Batch batch : simpler(send.batch())) {
        all.add(List.of(new Step.Send(send.sender(), batch, send.async())));
      }
      if (send.async()) {
        all.add(List.of(new Step.Send(send.sender(), send.batch(), false)));
      }
    } else if (step instanceof Step.InterruptSend send) {
      for (Batch batch : simpler(send.batch())) {
        all.add(List.of(new Step.InterruptSend(send.sender(), batch, send.seed())));
      }
    } else if (step instanceof Step.Collect collect) {
      for (int count : less(collect.count())) {
        all.add(List.of(new Step.Collect(collect.receiver(), count)));
      }
    } else if (step instanceof Step.Receive receive) {
      all.add(List.of(new Step.Collect(receive.receiver(), receive.max())));
    } else if (step instanceof Step.Ack ack) {
      for (Pick pick : simpler(ack.pick())) {
        all.add(List.of(new Step.Ack(ack.receiver(), pick, ack.awaited())));
      }
      if (!ack.awaited()) {
        all.add(List.of(new Step.Ack(ack.receiver(), ack.pick(), true)));
      }
    } else if (step instanceof Step.Release release) {
      for (Pick pick : simpler(release.pick())) {
        all.add(List.of(new Step.Release(release.receiver(), pick)));
      }
    } else if (step instanceof Step.Extend extend) {
      for (Pick pick : simpler(extend.pick())) {
        all.add(List.of(new Step.Extend(extend.receiver(), pick)));
      }
    } else if (step instanceof Step.InterruptReceive interrupted && interrupted.tries() > 1) {
      all.add(
          List.of(
              new Step.InterruptReceive(
                  interrupted.receiver(),
                  interrupted.sender(),
                  interrupted.tries() / 2,
                  interrupted.seed())));
    }
    return all;
  }

  private static List<Batch> simpler(Batch batch) {
    List<Batch> all = new ArrayList<>();
    for (int count : less(batch.count())) {
      all.add(
          new Batch(
              count,
              batch.minBytes(),
              batch.maxBytes(),
              batch.equal(),
              batch.headers(),
              Math.min(count, batch.tooLarge()),
              batch.seed()));
    }
    if (batch.tooLarge() > 0) {
      all.add(
          new Batch(
              batch.count(),
              batch.minBytes(),
              batch.maxBytes(),
              batch.equal(),
              batch.headers(),
              0,
              batch.seed()));
    }
    if (batch.headers() > 0) {
      for (int headers : new int[] {0, 1}) {
        if (headers < batch.headers()) {
          all.add(
              new Batch(
                  batch.count(),
                  batch.minBytes(),
                  batch.maxBytes(),
                  batch.equal(),
                  headers,
                  batch.tooLarge(),
                  batch.seed()));
        }
      }
    }
    if (batch.equal()) {
      all.add(
          new Batch(
              batch.count(),
              batch.minBytes(),
              batch.maxBytes(),
              false,
              batch.headers(),
              batch.tooLarge(),
              batch.seed()));
    }
    // One size first, then less of it: the smallest that fails is a limit somewhere.
    if (batch.minBytes() < batch.maxBytes()) {
      all.add(sized(batch, batch.maxBytes(), batch.maxBytes()));
      all.add(sized(batch, 16, batch.maxBytes()));
    }
    if (batch.maxBytes() > 16) {
      all.add(sized(batch, 16, 16));
      all.add(sized(batch, Math.min(batch.minBytes(), batch.maxBytes() / 2), batch.maxBytes() / 2));
      all.add(
          sized(
              batch,
              Math.min(batch.minBytes(), batch.maxBytes() * 7 / 8),
              batch.maxBytes() * 7 / 8));
    }
    return all;
  }

  private static Batch sized(Batch batch, int minBytes, int maxBytes) {
    return new Batch(
        batch.count(),
        Math.min(minBytes, maxBytes),
        maxBytes,
        batch.equal(),
        batch.headers(),
        batch.tooLarge(),
        batch.seed());
  }

  private static List<Pick> simpler(Pick pick) {
    List<Pick> all = new ArrayList<>();
    if (pick.percent() < 100) {
      all.add(new Pick(100, pick.order(), pick.seed()));
    }
    if (pick.order() != Order.FORWARD) {
      all.add(new Pick(pick.percent(), Order.FORWARD, pick.seed()));
    }
    return all;
  }

  private static List<Integer> less(int count) {
    if (count <= 1) {
      return List.of();
    }
    List<Integer> less = new ArrayList<>(List.of(1, count / 2, count * 7 / 8, count - 1));
    less.removeIf(one -> one < 1 || one >= count);
    Collections.sort(less);
    return less;
  }
}
