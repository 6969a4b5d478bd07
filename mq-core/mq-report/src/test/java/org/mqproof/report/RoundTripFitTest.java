package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.Traits;

class RoundTripFitTest {

  @Test
  void aTransactionIsNamed() {
    assertThat(
            RoundTripFit.text(
                List.of(row(0, 4_000, true), row(1, 2_000, true), row(100, 100, true))))
        .contains("acks that are awaited (10 messages; the window is 1.00 of it)")
        .contains(" 4,000 ")
        .contains(" 10.0 ")
        .contains("x 2.00"); // 1 ms: the fit says 4,000
  }

  @Test
  void aSocketBufferIsNamed() {
    assertThat(RoundTripFit.text(List.of(row(100, 600, false), row(0, 20_000, false))))
        .contains("the socket's buffer (66 messages; the window is 0.92 of it)");
  }

  @Test
  void prefetchIsNamed() {
    assertThat(
            RoundTripFit.text(
                List.of(row(0, 30_000, false, Map.of()), row(10, 10_000, false, Map.of()))))
        .contains("prefetch (100 messages; the window is 1.00 of it)");
  }

  @Test
  void soIsTheCapacityAndThatNothingExplainsARate() {
    assertThat(RoundTripFit.text(List.of(row(0, 10_000, false), row(1, 9_000, false))))
        .contains("the capacity of client and broker");
    assertThat(RoundTripFit.text(List.of(row(0, 10_000, false), row(100, 200, false))))
        .contains("none of what the client knows: the least is the socket's buffer");
  }

  @Test
  void oneRoundTripTellsNothing() {
    assertThat(RoundTripFit.text(List.of(row(10, 5_000, false), row(10, 5_000, true)))).isEmpty();
  }

  static Row row(int rttMillis, double rate, boolean awaited) {
    return row(rttMillis, rate, awaited, Map.of("socket.buffer.bytes", "65536"));
  }

  private static Row row(
      int rttMillis, double rate, boolean awaited, Map<String, String> settings) {
    return new Row(
        new Row.Load(
            "ReceiveBenchmark",
            Map.of(
                "rttMillis",
                Integer.toString(rttMillis),
                "bodyBytes",
                "1000",
                "receiveMax",
                "10",
                "awaitAcks",
                Boolean.toString(awaited)),
            0,
            1),
        new Row.Target(
            "activemq",
            "",
            2,
            "none",
            DeclaredTraits.of(Traits.mode("none").mostInFlight(100).build()),
            settings),
        new Row.Rates(null, new Throughput(rate, null, 1.0, 0, List.of())),
        Row.Latencies.NONE,
        List.of(),
        Row.Cost.NONE,
        Row.Proof.NONE);
  }
}
