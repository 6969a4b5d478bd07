package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/**
 * Many faults in turn, for as long as asked, under one load through one connection: the leader is
 * killed, a receiver is killed with messages in its hands, and all connections are cut. After each
 * one, when it is healed and every sender has sent, the {@link Vitals} are taken, which must stay
 * flat.
 */
final class Soak extends Fault {

  /** How long it lasts, minutes. */
  static final String MINUTES_PROPERTY = "mqproof.soak.minutes";

  private static final int HELD = 50;

  private final List<Supplier<Fault>> faults = new ArrayList<>();
  private final Map<String, Integer> blows = new TreeMap<>();
  private final List<Vitals> samples = new ArrayList<>();

  /**
   * A run of {@link #lasts()}.
   *
   * @param cuts whether connections can be cut here
   */
  Soak(boolean cuts) {
    super("soak", "ALO-02, ALO-07, ALO-18, ALO-20", Harms.NODE);
    faults.add(NodeKilled::leader);
    faults.add(HolderKilled::new);
    if (cuts) {
      faults.add(ClientsCutOff::new);
    }
  }

  /** How long a soak lasts. */
  static Duration lasts() {
    return Duration.ofMinutes(Integer.getInteger(MINUTES_PROPERTY, 60));
  }

  @Override
  protected void strike(Cell cell) throws Exception {
    long startedAt = System.nanoTime();
    for (int i = 0; Await.since(startedAt).compareTo(lasts()) < 0; i++) {
      try (Fault fault = faults.get(i % faults.size()).get()) {
        fault.prepare(cell);
        fault.strike(cell);
        String evidence = fault.tookEffect(cell);
        fault.whileItLasts(cell);
        fault.heal(cell);
        blows.merge(fault.name(), 1, Integer::sum);
        cell.ledger().mark("healed");
        sample(cell, Await.since(startedAt), evidence);
      }
    }
  }

  /** Under load, and a whole second after the last sender is back. */
  private void sample(Cell cell, Duration at, String evidence)
      throws IOException, InterruptedException {
    cell.awaitEverySender();
    cell.awaitLoad();
    Vitals vitals = Vitals.now(cell.cluster());
    samples.add(vitals);
    StringBuilder line = new StringBuilder();
    vitals.values().forEach((vital, value) -> line.append(", ").append(value));
    System.out.printf("soak %4d s: %s%s%n", at.toSeconds(), evidence, line);
  }

  @Override
  protected String tookEffect(Cell cell) {
    return "faults %s; of %s, first and last: %s"
        .formatted(
            blows,
            Arrays.stream(Vital.values()).map(Vital::words).toList(),
            List.of(
                samples.get(0).values().values(),
                samples.get(samples.size() - 1).values().values()));
  }

  @Override
  protected void check(Verdict verdict) {
    assertThat(verdict.lost()).as("lost: %s", verdict).isZero();
    assertThat(Vitals.growing(samples)).as("what grows").isEmpty();
  }

  /** A receiver in a process of its own is killed with messages that it never acks. */
  private static final class HolderKilled extends Fault {

    private @Nullable HoldingChild child;

    HolderKilled() {
      super("receiver SIGKILL", "ALO-07", Harms.CLIENT);
    }

    @Override
    protected void prepare(Cell cell) throws Exception {
      HoldingChild started = new HoldingChild(cell, HELD, body -> {});
      child = started;
      started.awaitClaims();
    }

    @Override
    protected void strike(Cell cell) throws InterruptedException {
      requireNonNull(child).kill(cell);
    }

    @Override
    protected String tookEffect(Cell cell) {
      requireNonNull(child).requireDead();
      return "a receiver with messages killed";
    }

    @Override
    public void close() {
      HoldingChild started = child;
      if (started != null) {
        started.close();
      }
    }
  }
}
