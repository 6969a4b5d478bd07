package org.mqproof.crash;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the seeds of the fault matrix come from. */
final class Seeds {

  /** Replays a run's moments, as far as a scheduler can be replayed. */
  static final String SEED_PROPERTY = "mqproof.seed";

  /** How often each cell is run, each time with a fresh seed. */
  static final String REPETITIONS_PROPERTY = "mqproof.repetitions";

  private Seeds() {}

  static LongStream ofThisRun() {
    Long given = Long.getLong(SEED_PROPERTY);
    return given != null
        ? LongStream.of(given)
        : ThreadLocalRandom.current().longs(Integer.getInteger(REPETITIONS_PROPERTY, 1));
  }

  /** A test that is given a seed: one cell of the fault matrix, once per repetition. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ParameterizedTest(name = "{displayName}, seed {0}")
  @MethodSource("org.mqproof.crash.Seeds#ofThisRun")
  @interface Each {}
}
