package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.Row;
import org.mqproof.report.Throughput;

class RowsTest {

  @Test
  void aVerdictThatIsMissingThoughAskedForIsAFailure() {
    Throughput rate = new Throughput(1, null, 0.999, 0, List.of());

    assertThat(Rows.doubts(rate, null, true)).singleElement().asString().startsWith(Row.FAILED);
    assertThat(Rows.doubts(rate, null, false)).isEmpty();
    assertThat(Rows.doubts(rate, verdict(1), true)).isEmpty();
  }

  @Test
  void aRateOfNothingIsAFailure() {
    Throughput rate = new Throughput(0, null, 0.999, 0, List.of());

    assertThat(Rows.doubts(rate, verdict(5), true))
        .containsExactly(
            Row.FAILED
                + "no message got through while measuring; a longer iteration (-r) may see some");
  }

  private static Verdict verdict(long confirmed) {
    return new Verdict(
        confirmed,
        confirmed,
        0,
        0,
        confirmed,
        confirmed,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        true,
        new Verdict.Acks(true, 0, 0, false),
        Verdict.Anomalies.NONE,
        Expectations.AT_LEAST_ONCE,
        List.of());
  }
}
