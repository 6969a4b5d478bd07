package org.mqproof.memory.broken;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.conformance.AloRule;
import org.mqproof.conformance.BrokenQueue;
import org.mqproof.memory.MemoryBroker;
import org.mqproof.memory.MemoryConformance;

/**
 * The kit, carried by a broken Mq. Its name keeps it out of the build's own tests: {@link
 * SharpnessTest} runs it. One run at a time.
 */
class BrokenConformance extends MemoryConformance {

  /** Long enough for a JVM that has just started, on two cores that others use too. */
  private static final Duration CALL_BOUND = Duration.ofMillis(500);

  /** What to run with. */
  static @Nullable Defect defect;

  /** What the tests leak, one for each. */
  static final Collection<BrokenConnections> LEAKS = new ConcurrentLinkedQueue<>();

  private final BrokenConnections leaks = new BrokenConnections();
  private final BrokenPromises.Configured configured = new BrokenPromises.Configured();

  BrokenConformance() {
    super(
        MemoryBroker.builder()
            .name("well")
            .claimPeriod(Objects.requireNonNull(defect).claimPeriodOfTheBroker())
            .callBound(CALL_BOUND)
            .build(),
        CALL_BOUND);
    LEAKS.add(leaks);
  }

  /** A defect that is not of ALO-26 has a right check of the configuration around it. */
  @Override
  protected Mq tried(Mq healthy) {
    Defect is = Objects.requireNonNull(defect);
    return is.kills.contains(AloRule.ALO_26)
        ? is.breaking.apply(leaks, BrokenPromises.checking(healthy, configured))
        : BrokenPromises.checking(is.breaking.apply(leaks, healthy), configured);
  }

  @Override
  protected Map<String, BrokenQueue> brokenQueues() {
    return configured.queues(broker());
  }

  @Override
  protected void elapse(Duration time) {
    super.elapse(time);
    leaks.elapse(time);
  }

  @Override
  protected Duration patience() {
    return Duration.ofSeconds(1);
  }

  @Override
  protected Duration window() {
    return Duration.ofMillis(10);
  }

  @Override
  protected String histories() {
    return "200ms"; // ALO-22 may find what other rules must
  }
}
