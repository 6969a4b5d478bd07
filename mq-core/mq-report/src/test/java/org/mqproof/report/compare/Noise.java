package org.mqproof.report.compare;

import java.util.Random;
import java.util.function.IntToDoubleFunction;

/** Rates of forks as machines give them, simulated. Stateless, thread-safe. */
enum Noise {
  /** Iterations differ, forks do not. */
  NORMAL {
    @Override
    double[] fork(Random random, int fork) {
      return iterations(i -> 1 + 0.05 * random.nextGaussian());
    }
  },
  /** Now and then an iteration is far too slow. */
  HEAVY_TAIL {
    @Override
    double[] fork(Random random, int fork) {
      return iterations(i -> 1 / (1 + 0.02 * Math.pow(1 - random.nextDouble(), -1 / 1.5)));
    }
  },
  /** Forks differ by 8 %, iterations of one hardly: more iterations would help nobody. */
  FORKS {
    @Override
    double[] fork(Random random, int fork) {
      double own = Math.exp(0.08 * random.nextGaussian());
      return iterations(i -> own * (1 + 0.01 * random.nextGaussian()));
    }
  },
  /** Three forks in ten are compiled badly and lose a quarter. */
  TWO_KINDS_OF_FORKS {
    @Override
    double[] fork(Random random, int fork) {
      double own = random.nextDouble() < 0.3 ? 0.75 : 1;
      return iterations(i -> own * (1 + 0.02 * random.nextGaussian()));
    }
  },
  /** The machine gets slower, from fork to fork and within each. */
  DRIFT {
    @Override
    double[] fork(Random random, int fork) {
      return iterations(
          i -> (1 - 0.01 * fork) * (1 - 0.01 * i) * (1 + 0.03 * random.nextGaussian()));
    }
  };

  private static final int ITERATIONS = 5;

  /** The iterations of one fork, around 1. */
  abstract double[] fork(Random random, int fork);

  /** The mean rate of each fork of a run. */
  double[] run(Random random, int forks) {
    double[] means = new double[forks];
    for (int fork = 0; fork < forks; fork++) {
      double sum = 0;
      for (double rate : fork(random, fork)) {
        sum += rate;
      }
      means[fork] = 1000 * sum / ITERATIONS;
    }
    return means;
  }

  private static double[] iterations(IntToDoubleFunction rate) {
    double[] rates = new double[ITERATIONS];
    for (int i = 0; i < ITERATIONS; i++) {
      rates[i] = rate.applyAsDouble(i);
    }
    return rates;
  }
}
