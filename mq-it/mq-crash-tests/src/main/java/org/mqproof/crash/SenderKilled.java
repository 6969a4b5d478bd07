package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;

/** Senders in processes of their own are killed while they have several batches on their way. */
final class SenderKilled extends Fault {

  private final List<ChildJvm> children = new ArrayList<>();
  private final List<AtomicInteger> confirms = new ArrayList<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final List<String> moments = new ArrayList<>();

  SenderKilled() {
    super("sender SIGKILL", "ALO-19", Harms.CLIENT);
  }

  /** None: the senders are the children. */
  @Override
  protected int senders() {
    return 0;
  }

  @Override
  protected void prepare(Cell cell) throws Exception {
    for (int sender = 0; sender < CrashHarness.SENDERS; sender++) {
      AtomicInteger confirmed = new AtomicInteger();
      confirms.add(confirmed);
      SenderLog log = cell.ledger().sender(sender);
      children.add(
          new ChildJvm(
              SenderMain.class,
              List.of(
                  cell.system(),
                  cell.queue(),
                  Integer.toString(cell.ledger().run()),
                  Integer.toString(sender)),
              cell.childSettings(),
              line -> record(line, log, confirmed)));
    }
  }

  /** Called by the threads that read what the children say. */
  private void record(String line, SenderLog log, AtomicInteger confirmed) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "attempted" -> log.attempted(Long.parseLong(words[1]), Integer.parseInt(words[2]));
      case "confirmed" -> {
        log.confirmed(Long.parseLong(words[1]), Integer.parseInt(words[2]));
        confirmed.incrementAndGet();
      }
      default -> failures.add(line);
    }
  }

  /** The moments are the children's own: each has one. */
  @Override
  protected void awaitMoment(Cell cell) {}

  @Override
  protected void strike(Cell cell) throws InterruptedException {
    for (int sender = 0; sender < children.size(); sender++) {
      int batches = 20 + cell.random().nextInt(100);
      int delayMicros = cell.random().nextInt(20_000);
      AtomicInteger confirmed = confirms.get(sender);
      ChildJvm child = children.get(sender);
      Await.until(
          "%d batches confirmed to child %d".formatted(batches, sender),
          CrashHarness.PATIENCE,
          () -> confirmed.get() >= batches || !child.isAlive());
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(delayMicros)); // any moment will do
      cell.killChild(child);
      moments.add("after %d confirms".formatted(confirmed.get()));
    }
  }

  @Override
  protected String tookEffect(Cell cell) {
    assertThat(children).as("children that live").noneMatch(ChildJvm::isAlive);
    assertThat(failures).isEmpty();
    return "senders killed " + moments;
  }

  @Override
  protected void check(Verdict verdict) {
    assertThat(verdict.unknown())
        .as("batches were in flight when their senders died, or the fault took no effect")
        .isPositive();
  }

  @Override
  public void close() {
    children.forEach(ChildJvm::close);
  }
}
