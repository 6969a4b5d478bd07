package org.mqproof.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.jmh.trial.Leftovers;
import org.mqproof.jmh.trial.Trial;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * What every benchmark has in common: the parameters, and one fresh queue per trial. JMH sets its
 * fields; shared by all threads of a trial.
 */
@State(Scope.Benchmark)
public abstract class TrialState {

  /** The provider's name. */
  @Param("")
  public String system = "";

  /** What to connect with, as {@code key=value;key=value}. */
  @Param("")
  public String settings = "";

  /** Further settings: those that decide on the guarantee, as {@link org.mqproof.Traits#mode}. */
  @Param("")
  public String mode = "";

  /** Length of every body, bytes. */
  @Param("100")
  public int bodyBytes;

  /** Whether every message is stamped and looked for; without, there is no verdict. */
  @Param("true")
  public boolean ledger;

  /**
   * Round trip between clients and brokers, and between brokers, milliseconds: packets are held for
   * half of it each way. 0 adds nothing.
   */
  @Param("0")
  public int rttMillis;

  private @Nullable Trial trial;

  /** For JMH. */
  protected TrialState() {}

  final void start(BenchmarkParams benchmark, Leftovers leftovers) throws IOException {
    Map<String, String> params = new HashMap<>();
    for (String key : benchmark.getParamsKeys()) {
      params.put(key, benchmark.getParam(key));
    }
    ForkOptions fork = ForkOptions.of(System.getProperties(), Path.of("mqproof-results"));
    Files.createDirectories(fork.directory());
    trial = Trial.start(fork, benchmark.getBenchmark(), params, benchmark.getThreads(), leftovers);
  }

  final Trial trial() {
    if (trial == null) {
      throw new IllegalStateException("JMH has not started the trial");
    }
    return trial;
  }

  static Timeline.Phase phase(IterationParams iteration) {
    return iteration.getType() == IterationType.MEASUREMENT
        ? Timeline.Phase.MEASURED
        : Timeline.Phase.UNMEASURED;
  }

  /**
   * Drains, judges and writes the trial's file.
   *
   * @throws IOException if the file cannot be written
   * @throws InterruptedException if JMH gives up
   */
  @TearDown(Level.Trial)
  public void finish() throws IOException, InterruptedException {
    trial().finish();
  }
}
