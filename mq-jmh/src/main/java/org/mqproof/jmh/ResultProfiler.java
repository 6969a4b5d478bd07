package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.trial.Iteration;
import org.mqproof.jmh.trial.Trial;
import org.mqproof.ledger.Verdict;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Adds what an iteration measured besides its rate to JMH's own results, so that every viewer of
 * them shows it. Each percentile is that of one iteration; JMH averages over iterations, which the
 * rows in {@code results.json} do not: there the samples are merged first.
 */
public final class ResultProfiler implements InternalProfiler {

  /** Label of the rate of {@link ReceiveBenchmark}, for which JMH makes none. */
  static final String RECEIVED = "received";

  /** For JMH. */
  public ResultProfiler() {}

  @Override
  public String getDescription() {
    return "MqProof: latency percentiles, cost per message and verdict";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    // The trial itself opens the window, when all threads are ready.
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    List<Result<?>> results = new ArrayList<>();
    Trial trial = Trial.current();
    if (trial == null) {
      return results;
    }
    Iteration last = trial.lastIteration();
    if (last != null) {
      last.times()
          .forEach(
              (kind, times) -> {
                if (times.count() > 0) {
                  add(results, kind, times);
                }
              });
      if (benchmark.getMode() == Mode.SingleShotTime) {
        double seconds = (double) last.nanos() / TimeUnit.SECONDS.toNanos(1);
        results.add(average(RECEIVED, last.messages() / seconds, "msgs/s"));
      }
      double messages = Math.max(1, last.messages());
      results.add(average("cpu", last.cost().cpuNanos() / 1e3 / messages, "us/msg"));
      results.add(average("alloc", last.cost().allocatedBytes() / messages, "B/msg"));
      results.add(new ScalarResult("gc", last.cost().gcMillis(), "ms", AggregationPolicy.SUM));
    }
    Verdict verdict = trial.verdict();
    if (verdict != null) {
      results.add(messages("verdict.confirmed", verdict.confirmed()));
      results.add(messages("verdict.lost", verdict.lost()));
      addIfAny(results, "verdict.unverified", verdict.unverified());
      addIfAny(results, "verdict.unexpected", verdict.unexpected());
      addIfAny(results, "verdict.corrupt", verdict.corrupt());
      addIfAny(results, "verdict.duplicated", verdict.duplicated());
      addIfAny(results, "verdict.recovered", verdict.recovered());
    }
    return results;
  }

  private static void add(List<Result<?>> results, Timeline.Kind kind, Distribution times) {
    String label = kind.name().toLowerCase(Locale.ROOT);
    results.add(average(label + ".p50", times.atPercentile(50) / 1e3, "us"));
    results.add(average(label + ".p95", times.atPercentile(95) / 1e3, "us"));
    results.add(average(label + ".p99", times.atPercentile(99) / 1e3, "us"));
    results.add(average(label + ".p99.9", times.atPercentile(99.9) / 1e3, "us"));
    results.add(new ScalarResult(label + ".max", times.max() / 1e3, "us", AggregationPolicy.MAX));
  }

  private static ScalarResult average(String label, double value, String unit) {
    return new ScalarResult(label, value, unit, AggregationPolicy.AVG);
  }

  private static void addIfAny(List<Result<?>> results, String label, long count) {
    if (count > 0) {
      results.add(messages(label, count));
    }
  }

  private static ScalarResult messages(String label, long count) {
    return new ScalarResult(label, count, "msgs", AggregationPolicy.SUM);
  }
}
