package org.mqproof.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.conformance.QueueModel.NotAllowed;

/**
 * Searches for a sequence of legal calls that breaks a rule: ALO-22. One thread at a time.
 *
 * <p>Seeds 1, 2, 3 and so on are tried until the budget is spent, each with another number of
 * messages, so that more time finds more. {@code -Dmqproof.history=17@300} runs seed 17 at scale
 * 300 alone.
 */
abstract class HistoryRules extends FlowRules {

  /** About the most messages of one batch, in turn; larger ones as far as the budget allows. */
  private static final int[] SCALES = {3, 60, 1_500, 12, 300, 12, 8_000, 60, 300, 20_000};

  /** After how many histories one waits at its end for what must not come. */
  private static final int LINGERS_EACH = 8;

  /** How often a failure is tried again before it is called one of a lucky schedule. */
  private static final int TRIES = 3;

  private static final Pattern BUDGET = Pattern.compile("(\\d{1,7})(ms|s|m)?");

  private boolean redeliversAtRandom;

  /**
   * How long ALO-22 searches, or through how many seeds.
   *
   * @return by default the system property {@code mqproof.histories}: a time such as {@code 500ms},
   *     {@code 60s} or {@code 5m}, or a number of seeds such as {@code 1000}; else 10 s
   */
  protected String histories() {
    return System.getProperty("mqproof.histories", "10s");
  }

  /**
   * What the search may cost.
   *
   * @param time after which no further seed is begun
   * @param seeds how many at most
   */
  private record Budget(Duration time, long seeds) {}

  private Budget budget() {
    Matcher text = BUDGET.matcher(histories());
    if (!text.matches()) {
      throw new IllegalArgumentException(
          "mqproof.histories is a time such as 500ms, 10s or 5m, or a number of seeds, was "
              + histories());
    }
    long number = Long.parseLong(text.group(1));
    if (text.group(2) == null) {
      return new Budget(Duration.ofMinutes(1).multipliedBy(number), number);
    }
    return new Budget(
        switch (text.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        },
        Long.MAX_VALUE);
  }

  /** How long one history goes on before it leaves its further steps out. */
  Duration longHistory() {
    return shorter(Duration.ofMinutes(1), budget().time().multipliedBy(2));
  }

  /** How long nothing may go on in a history before it is called hanging. */
  Duration historyLimit() {
    return patience()
        .multipliedBy(3)
        .plus(traits().callBound().multipliedBy(4))
        .plus(Duration.ofSeconds(10));
  }

  /** How long a failure is made smaller. */
  private Duration shrinking() {
    return shorter(Duration.ofSeconds(30), budget().time().multipliedBy(3));
  }

  @Override
  Duration testLimit() {
    return rule == AloRule.ALO_22
        ? budget().time().plus(shrinking()).plus(historyLimit().multipliedBy(2))
        : super.testLimit();
  }

  @Checks(AloRule.ALO_22)
  @Order(Checks.LONG)
  @DisplayName("ALO-22 random histories of legal calls keep the rules")
  void alo22_randomHistoriesKeepTheRules(TestReporter reporter) throws Exception {
    search(reporter, budget(), false);
  }

  @Checks(AloRule.ALO_22)
  @ResourceLock(Checks.THREADS_AND_SOCKETS)
  @DisplayName("ALO-22 histories in which connections break lose nothing")
  void alo22_historiesInWhichConnectionsBreakLoseNothing(TestReporter reporter) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    if (breakConnections() == 0) {
      inconclusive("nothing here can break connections that are open");
    }
    close(mq); // whoever deletes the queues at the end must not find what it kept and was broken
    Budget budget = budget();
    search(reporter, new Budget(budget.time().dividedBy(3), budget.seeds()), true);
  }

  private void search(TestReporter reporter, Budget budget, boolean breaks) throws Exception {
    int elapsesEach = breaks ? 0 : elapsesEach();
    String only = System.getProperty("mqproof.history");
    if (only != null) {
      String[] parts = only.split("@", 2);
      int scale = Integer.parseInt(parts[1]);
      check(Long.parseLong(parts[0]), scale, elapsesEach, breaks);
      return;
    }
    long start = System.nanoTime();
    long fixedNanos = Long.MAX_VALUE;
    double perMessageNanos = 0;
    int histories = 0;
    long messagesOfAll = 0;
    for (long seed = 1;
        seed == 1 || (seed <= budget.seeds() && !hasPassed(budget.time(), start));
        seed++) {
      int scale = SCALES[(int) ((seed - 1) % SCALES.length)];
      double left = budget.time().toNanos() - (System.nanoTime() - start);
      if (seed > 1 && fixedNanos + perMessageNanos * scale > left) {
        continue; // a smaller one may fit
      }
      long began = System.nanoTime();
      int messages = check(seed, scale, elapsesEach, breaks);
      long took = System.nanoTime() - began;
      histories++;
      messagesOfAll += messages;
      fixedNanos = Math.min(fixedNanos, took);
      if (messages > 0) {
        perMessageNanos = Math.max(perMessageNanos / 2, (double) (took - fixedNanos) / messages);
      }
    }
    reporter.publishEntry(
        AloRule.ALO_22.id(),
        "%,d histories%s, %,d messages, %s"
            .formatted(
                histories,
                breaks ? " with broken connections" : "",
                messagesOfAll,
                traits().mode()));
  }

  /** Runs one history; returns how many messages it had. */
  private int check(long seed, int scale, int elapsesEach, boolean breaks) throws Exception {
    boolean canElapse = elapsesEach > 0 && seed % elapsesEach == 0;
    Program program = ProgramGenerator.draw(seed, scale, traits(), canElapse, breaks);
    Outcome outcome = execute(program, seed % LINGERS_EACH == 0);
    NotAllowed failure = outcome.failure;
    if (failure != null && isRedelivery(failure) && redeliversAtRandom()) {
      redeliversAtRandom = true; // for other rules to tell; here the rest is looked at
      return check(seed, scale, elapsesEach, breaks);
    }
    if (failure != null) {
      throw describe(seed, scale, program, failure, outcome.log);
    }
    return outcome.messages;
  }

  private record Outcome(@Nullable NotAllowed failure, int messages, List<String> log) {}

  private Outcome execute(Program program, boolean lingers) throws Exception {
    Mq mq = open();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < program.queues(); i++) {
      names.add(newQueue(mq));
    }
    close(mq);
    ProgramRun run =
        new ProgramRun(
            this,
            program,
            names,
            redeliversAtRandom,
            lingers ? window().dividedBy(4) : Duration.ZERO);
    BoundedCall<@Nullable Void> call =
        BoundedCall.start(
            "history",
            () -> {
              run.run();
              return null;
            });
    if (!run.awaitEnd(call)) {
      String stack = call.stack();
      call.interrupt();
      return new Outcome(
          new NotAllowed(AloRule.ALO_18, "a call hangs, at" + stack), run.messages(), run.log());
    }
    Throwable failure = call.failure();
    if (failure instanceof NotAllowed notAllowed) {
      return new Outcome(notAllowed, run.messages(), run.log());
    } else if (failure instanceof Error error) {
      throw error;
    } else if (failure != null) {
      NotAllowed threw = new NotAllowed(AloRule.ALO_22, "a legal call threw " + failure);
      threw.initCause(failure);
      return new Outcome(threw, run.messages(), run.log());
    }
    return new Outcome(null, run.messages(), List.of());
  }

  private Breach describe(
      long seed, int scale, Program program, NotAllowed failure, List<String> log)
      throws Exception {
    String replay = "-Dmqproof.history=%d@%d".formatted(seed, scale);
    NotAllowed last = null;
    int failed = 0;
    long start = System.nanoTime();
    int tries = 0;
    while (tries < TRIES && (tries == 0 || !hasPassed(shrinking(), start))) {
      NotAllowed again = execute(program, true).failure;
      tries++;
      if (again != null && again.rule() == failure.rule()) {
        failed++;
        last = again;
      }
    }
    if (failed < tries || last == null) {
      return breach(
          failure,
          "%s%n  This history failed %d of %d times: it needs a lucky schedule. Replay with %s%n%s%n"
              + "  What was called and returned, the last first:%n    %s",
          failure.getMessage(),
          failed + 1,
          tries + 1,
          replay,
          program.java().indent(4),
          String.join("\n    ", log));
    }
    NotAllowed[] smallest = {last};
    Program shrunk =
        new Shrinker(
                candidate -> {
                  try {
                    NotAllowed found = execute(candidate, true).failure;
                    if (found != null && found.rule() == failure.rule()) {
                      smallest[0] = found;
                      return true;
                    }
                    return false;
                  } catch (Exception e) {
                    return false; // another failure than the one that is made smaller
                  }
                },
                candidate -> !hasPassed(shrinking(), start))
            .shrink(program);
    return breach(
        smallest[0],
        "%s%n  Replay with %s, or by these calls, after which every client closes and a new one"
            + " receives the rest:%n%s",
        smallest[0].getMessage(),
        replay,
        shrunk.java().indent(4));
  }

  /** In how many seeds claim periods pass: in none, in all, or where that takes time in a few. */
  private int elapsesEach() throws InterruptedException {
    if (traits().claimPeriod().isEmpty()) {
      return 0;
    }
    Duration period = traits().claimPeriod().orElseThrow();
    Duration sample = shorter(period.dividedBy(100), Duration.ofMillis(200));
    long start = System.nanoTime();
    elapse(sample);
    if (!hasPassed(sample.dividedBy(2), start)) {
      return 1;
    }
    return period.compareTo(budget().time().dividedBy(4)) <= 0 ? 5 : 0;
  }

  private static boolean isRedelivery(NotAllowed failure) {
    return failure.rule() == AloRule.ALO_05 || failure.rule() == AloRule.ALO_09;
  }

  /** Whether the plainest use has redeliveries, which ALO-09 and ALO-17 tell. */
  private boolean redeliversAtRandom() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Set<String> seen = new TreeSet<>();
    try (Sender sender = mq.sender(queue);
        Receiver receiver = mq.receiver(queue)) {
      for (int i = 0; i < 20; i++) {
        sender.send(messages("plain" + i + "-", 10));
        for (int got = 0; got < 10; ) {
          Map<String, Delivery> batch = collect(receiver, few(10 - got));
          if (batch.isEmpty()) {
            return false; // lost: not for this probe
          }
          ackAndWait(receiver, batch.values());
          for (String id : batch.keySet()) {
            if (!seen.add(id)) {
              return true;
            }
          }
          got += batch.size();
        }
      }
      return !besidesMarker(receiver, sender, "marker").isEmpty();
    } finally {
      close(mq);
    }
  }
}
