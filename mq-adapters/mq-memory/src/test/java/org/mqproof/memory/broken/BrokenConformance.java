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
import org.mqproof.conformance.MqConformance;
import org.mqproof.memory.MemoryBroker;

/**
 * The kit, carried by a broken Mq. Its name keeps it out of the build's own tests: {@link
 * SharpnessTest} runs it. One run at a time.
 */
class BrokenConformance extends MqConformance {

  /** Long enough for a JVM that has just started, on two cores that others use too. */
  private static final Duration CALL_BOUND = Duration.ofMillis(500);

  /** What to run with. */
  static @Nullable Defect defect;

  /** What the tests leak, one for each. */
  static final Collection<BrokenConnections> LEAKS = new ConcurrentLinkedQueue<>();

  private final BrokenConnections leaks = new BrokenConnections();
  private final BrokenPromises.Configured configured = new BrokenPromises.Configured();
  private final MemoryBroker broker =
      MemoryBroker.builder()
          .name("well")
          .claimPeriod(Objects.requireNonNull(defect).claimPeriodOfTheBroker())
          .callBound(CALL_BOUND)
          .build();
  private final MemoryBroker sick =
      MemoryBroker.builder().name("sick").callBound(CALL_BOUND).build();

  BrokenConformance() {
    LEAKS.add(leaks);
  }

  /** A defect that is not of ALO-26 has a right check of the configuration around it. */
  private Mq broken(Mq healthy) {
    Defect is = Objects.requireNonNull(defect);
    return is.kills.contains(AloRule.ALO_26)
        ? is.breaking.apply(leaks, BrokenPromises.checking(healthy, configured))
        : BrokenPromises.checking(is.breaking.apply(leaks, healthy), configured);
  }

  @Override
  protected Mq connect() {
    return broken(broker.connect());
  }

  @Override
  protected Map<String, BrokenQueue> brokenQueues() {
    return configured.queues(broker);
  }

  @Override
  protected Mq connectToDead() {
    Mq mq = broken(sick.connect());
    sick.refuse();
    return mq;
  }

  @Override
  protected Mq connectToHung() {
    Mq mq = broken(sick.connect());
    sick.hang();
    return mq;
  }

  @Override
  protected String deadEndpoint() {
    return "memory:sick";
  }

  @Override
  protected String hungEndpoint() {
    return "memory:sick";
  }

  @Override
  protected void elapse(Duration time) {
    broker.advance(time);
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
