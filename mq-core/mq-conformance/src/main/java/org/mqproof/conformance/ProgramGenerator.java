package org.mqproof.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.conformance.Program.Home;
import org.mqproof.conformance.Step.Batch;
import org.mqproof.conformance.Step.Kind;
import org.mqproof.conformance.Step.Order;
import org.mqproof.conformance.Step.Pick;

/** Draws a program: the same seed, scale and traits give the same one. For one thread. */
final class ProgramGenerator {

  /** Bodies of one batch have at most so many bytes in all. */
  private static final long MOST_BATCH_BYTES = 6 << 20;

  /** Ordinary bodies: enough to be told apart. */
  private static final int SMALL_BYTES = 64;

  private static final List<Order> ORDERS = List.of(Order.FORWARD, Order.BACKWARD, Order.SHUFFLED);

  /** As many as there are. */
  private static final int ALL = 100_000;

  private final Random random;

  /** For what does not change which other steps are drawn. */
  private final Random ofMore;

  private final int scale;
  private final Traits traits;
  private final boolean canElapse;
  private List<Home> senders = List.of();
  private List<Home> receivers = List.of();
  private int queues;

  /** Whether nothing happens that may give messages back, so that order can be judged. */
  private boolean calm;

  private ProgramGenerator(long seed, int scale, Traits traits, boolean canElapse) {
    // Neighbouring seeds give a Random nearly the same first numbers.
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    ofMore = new Random(~seed * 0x9E3779B97F4A7C15L);
    this.scale = scale;
    this.traits = traits;
    this.canElapse = canElapse;
  }

  /**
   * Draws a program.
   *
   * @param seed what to draw from
   * @param scale about the most messages of one batch, at least 1
   * @param traits what the system declares: sizes
   * @param canElapse whether claim periods may pass
   * @param breaks whether connections break once or twice
   */
  static Program draw(long seed, int scale, Traits traits, boolean canElapse, boolean breaks) {
    return new ProgramGenerator(seed, scale, traits, canElapse).program(breaks);
  }

  private Program program(boolean breaks) {
    queues = chance(30) ? 2 : 1;
    calm = chance(20);
    int connections = 1 + random.nextInt(3);
    senders = homes(1 + random.nextInt(4), connections);
    receivers = homes(1 + random.nextInt(4), connections);
    List<Step> steps = new ArrayList<>();
    int count = 3 + random.nextInt(22);
    for (int i = 0; i < count; i++) {
      steps.add(step());
    }
    for (int i = ofMore.nextInt(5); i > 0; i--) {
      steps.add(ofMore.nextInt(steps.size() + 1), ofClaims());
    }
    for (int i = breaks ? 1 + random.nextInt(2) : 0; i > 0; i--) {
      steps.add(random.nextInt(steps.size() + 1), new Step.BreakConnections());
    }
    return new Program(queues, senders, receivers, List.copyOf(steps));
  }

  /** Gives claims back, or makes them last longer. */
  private Step ofClaims() {
    int receiver = ofMore.nextInt(receivers.size());
    boolean release = !calm && traits.release() != Release.NONE && ofMore.nextBoolean();
    if (release) {
      Step.Release step = new Step.Release(receiver, pick(ofMore));
      return ofMore.nextBoolean()
          ? step
          : new Step.Repeat(
              1 + ofMore.nextInt(4),
              List.of(
                  new Step.Collect(receiver, 1 + ofMore.nextInt(12)),
                  step,
                  new Step.AckAgain(receiver, pick(ofMore))));
    }
    Step.Extend step = new Step.Extend(receiver, pick(ofMore));
    if (calm || !canElapse) {
      return step;
    }
    // Longer than one period, or several, in all, and well before the end of the last.
    List<Step> steps = new ArrayList<>();
    steps.add(new Step.Collect(receiver, 1 + ofMore.nextInt(12)));
    steps.add(new Step.Elapse(50));
    for (int i = ofMore.nextInt(3); i >= 0; i--) {
      steps.add(step);
      steps.add(new Step.Elapse(55));
    }
    steps.add(new Step.Collect(ofMore.nextInt(receivers.size()), ALL));
    steps.add(new Step.Ack(receiver, pick(ofMore), true));
    return new Step.Repeat(1, List.copyOf(steps));
  }

  private List<Home> homes(int count, int connections) {
    List<Home> homes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      homes.add(new Home(random.nextInt(connections), random.nextInt(queues)));
    }
    return List.copyOf(homes);
  }

  private Step step() {
    int sender = random.nextInt(senders.size());
    int receiver = random.nextInt(receivers.size());
    int what = random.nextInt(100);
    if (what < 21) {
      return new Step.Send(sender, batch(scale), chance(40));
    } else if (what < 26) {
      return new Step.Receive(receiver, max(), random.nextInt(3) * 5);
    } else if (what < 40) {
      return collect(receiver);
    } else if (what < 54) {
      return new Step.Ack(receiver, pick(), chance(70));
    } else if (what < 57) {
      return new Step.AckAgain(receiver, pick());
    } else if (what < 60) {
      return chance(65)
          ? new Step.Open(Kind.RECEIVER, receiver)
          : new Step.Open(Kind.SENDER, sender);
    } else if (what < 63) {
      return new Step.Close(Kind.SENDER, sender);
    } else if (what < 65) {
      return new Step.AckOthers(receiver, random.nextInt(receivers.size()));
    } else if (what < 76) {
      return parallel();
    } else if (calm) {
      return collect(receiver);
    } else if (what < 82) {
      return new Step.Close(Kind.RECEIVER, receiver);
    } else if (what < 85) {
      return closeOfAConnection();
    } else if (what < 88) {
      return canElapse ? expiry(receiver) : collect(receiver);
    } else if (what < 90) {
      return new Step.Recreate(random.nextInt(queues), chance(50));
    } else if (what < 92) {
      return new Step.InterruptReceive(
          receiver, sender, 1 + random.nextInt(8), random.nextInt(1_000));
    } else if (what < 93) {
      return new Step.InterruptSend(sender, batch(scale), random.nextInt(1_000));
    }
    return repeated();
  }

  /** Claims age or end while they are held; others ask, and what was held is acked late. */
  private Step expiry(int receiver) {
    List<Step> steps = new ArrayList<>();
    if (chance(80)) { // a few of many, or all
      steps.add(chance(40) ? new Step.Collect(receiver, upTo(4)) : collect(receiver));
    }
    steps.add(new Step.Elapse(chance(50) ? 120 : 30 * (1 + random.nextInt(3))));
    for (int i = random.nextInt(3); i > 0; i--) {
      steps.add(collect(random.nextInt(receivers.size())));
    }
    if (chance(40)) {
      steps.add(collect(receiver));
    }
    if (chance(60)) {
      steps.add(new Step.Ack(receiver, pick(), chance(70)));
    }
    return new Step.Repeat(1, List.copyOf(steps));
  }

  /** The same few steps in turn: what is counted, and what comes back again and again. */
  private Step repeated() {
    List<Step> steps = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      int receiver = random.nextInt(receivers.size());
      switch (random.nextInt(4)) {
        case 0 -> steps.add(new Step.Send(random.nextInt(senders.size()), batch(12), chance(40)));
        case 1 -> {
          steps.add(new Step.Collect(receiver, upTo(12)));
          steps.add(new Step.Ack(receiver, pick(), chance(70)));
        }
        case 2 -> {
          steps.add(chance(50) ? collect(receiver) : new Step.Collect(receiver, upTo(12)));
          steps.add(new Step.Close(Kind.RECEIVER, receiver));
        }
        default -> steps.add(new Step.Close(Kind.SENDER, random.nextInt(senders.size())));
      }
    }
    return new Step.Repeat(2 + random.nextInt(15), List.copyOf(steps));
  }

  private Step collect(int receiver) {
    return new Step.Collect(receiver, chance(50) ? ALL : upTo(scale));
  }

  private Step closeOfAConnection() {
    int connection = chance(50) ? senders.get(0).connection() : receivers.get(0).connection();
    return new Step.Close(Kind.CONNECTION, connection);
  }

  private Step parallel() {
    List<List<Integer>> ofSenders = new ArrayList<>();
    List<List<Integer>> ofReceivers = new ArrayList<>();
    int tracks = 2 + random.nextInt(3);
    for (int i = 0; i < tracks; i++) {
      ofSenders.add(new ArrayList<>());
      ofReceivers.add(new ArrayList<>());
    }
    for (int i = 0; i < senders.size(); i++) {
      ofSenders.get(random.nextInt(tracks)).add(i);
    }
    for (int i = 0; i < receivers.size(); i++) {
      ofReceivers.get(random.nextInt(tracks)).add(i);
    }
    List<List<Step>> all = new ArrayList<>();
    for (int i = 0; i < tracks; i++) {
      List<Step> track = track(ofSenders.get(i), ofReceivers.get(i));
      if (!track.isEmpty()) {
        all.add(track);
      }
    }
    if (!calm && chance(25)) {
      all.add(List.of(closeOfAConnection()));
    }
    return all.isEmpty() ? new Step.Open(Kind.SENDER, 0) : new Step.Parallel(List.copyOf(all));
  }

  /** What one thread does: mostly the same few steps again and again. */
  private List<Step> track(List<Integer> ofSenders, List<Integer> ofReceivers) {
    if (ofSenders.isEmpty() && ofReceivers.isEmpty()) {
      return List.of();
    }
    // Small steps and many of them: what races needs to meet.
    int times = 1 + upTo(Math.min(scale, 300));
    int each = Math.max(1, scale / times);
    List<Step> steps = new ArrayList<>();
    for (int sender : ofSenders) {
      if (chance(80)) {
        steps.add(new Step.Send(sender, batch(each), chance(50)));
      }
      if (chance(15)) {
        steps.add(new Step.Close(Kind.SENDER, sender));
      }
    }
    for (int receiver : ofReceivers) {
      if (chance(80)) {
        steps.add(
            chance(50)
                ? new Step.Receive(receiver, max(), 2)
                : new Step.Collect(receiver, upTo(each)));
        steps.add(new Step.Ack(receiver, pick(), chance(30)));
      }
      if (!calm && chance(15)) {
        steps.add(new Step.Close(Kind.RECEIVER, receiver));
      }
    }
    if (steps.isEmpty()) {
      return List.of();
    }
    return List.of(new Step.Repeat(times, List.copyOf(steps)));
  }

  private Batch batch(int most) {
    int count = chance(25) ? most : upTo(most);
    int minBytes = SMALL_BYTES;
    int maxBytes = SMALL_BYTES;
    int kind = random.nextInt(100);
    if (kind < 25) {
      minBytes = 0;
    } else if (kind < 40) {
      minBytes = 0;
      maxBytes = Math.min(KitFixture.LARGEST_CHECKED_BYTES, traits.largestBodyBytes());
      // Few, so that the largest fits.
      count = Math.min(count, 1 + random.nextInt(chance(50) ? 4 : 64));
    }
    maxBytes = (int) Math.min(maxBytes, MOST_BATCH_BYTES / count);
    maxBytes = Math.min(maxBytes, traits.largestBodyBytes());
    minBytes = Math.min(minBytes, maxBytes);
    int tooLarge = 0;
    if (chance(7) && traits.largestBodyBytes() < MOST_BATCH_BYTES) {
      tooLarge = Math.min(1 + random.nextInt(3), count);
    }
    boolean equal = chance(15);
    if (equal) { // how often one of them was delivered is counted each time
      count = Math.min(count, 200);
    }
    int headers = 0;
    if (ofMore.nextInt(4) == 0) {
      headers = Math.min(traits.mostHeaders(), 1 + ofMore.nextInt(ofMore.nextInt(8) + 1));
    }
    return new Batch(count, minBytes, maxBytes, equal, headers, tooLarge, random.nextInt(1_000));
  }

  private Pick pick() {
    return pick(random);
  }

  private static Pick pick(Random random) {
    return new Pick(
        random.nextInt(100) < 50 ? 100 : 1 + random.nextInt(99),
        ORDERS.get(random.nextInt(ORDERS.size())),
        random.nextInt(1_000));
  }

  private int max() {
    return upTo(20_000);
  }

  /** 1 to most, small numbers as likely as large ones. */
  private int upTo(int most) {
    return (int) Math.min(most, Math.exp(random.nextDouble() * Math.log(most + 1.0)));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}
