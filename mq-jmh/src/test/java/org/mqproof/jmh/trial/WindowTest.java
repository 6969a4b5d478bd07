package org.mqproof.jmh.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Mq;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.IntervalLogs;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.spi.MqProvider;

/** One thread and a queue inside this JVM: what an iteration counts. */
@Timeout(180)
class WindowTest {

  private static final int PUT_THERE = 100;
  private static final int LEAD_IN = 40;
  private static final Duration A_WAIT = Duration.ofMillis(100);

  @Test
  void whatIsReceivedBeforeARestartIsNotCounted(@TempDir Path directory) throws Exception {
    TrialParams params = TrialParams.of(Map.of("system", "broken", "receiveMax", "10"));
    try (Mq mq = MqProvider.named("broken").connect(Map.of())) {
      mq.createQueue("q");
      Timeline timeline = new Timeline(System.nanoTime());
      Traffic traffic = new Traffic(mq, List.of("q"), params, Leftovers.LEFT, null, timeline);
      Window window =
          new Window(
              1,
              traffic,
              new Backpressure(traffic, PUT_THERE),
              Leftovers.LEFT,
              traffic::openReceiver,
              new BuildUp(0, traffic::submitted, traffic::received, System::nanoTime),
              timeline,
              new IntervalLogs(directory, "trial", 0),
              null);
      Sending filling = traffic.openFiller();
      filling.begin(Timeline.Phase.UNMEASURED);
      while (filling.submitted() < PUT_THERE) {
        var unused = filling.send();
      }
      filling.settle();
      Receiving receiving = traffic.openReceiver();

      window.begin(Timeline.Phase.MEASURED, null, receiving);
      receive(receiving, LEAD_IN);
      long before = System.nanoTime();
      window.restart();
      receive(receiving, PUT_THERE);
      long after = System.nanoTime();
      assertThat(receiving.receive(A_WAIT)).isZero();
      window.end(null, receiving);

      assertThat(window.measured().counts())
          .singleElement()
          .satisfies(
              counts -> {
                assertThat(counts.received()).isEqualTo(PUT_THERE - LEAD_IN);
                assertThat(counts.acked()).isEqualTo(PUT_THERE - LEAD_IN);
                assertThat(counts.ackedNanos())
                    .as("to the last ack, without the wait for more")
                    .isBetween(counts.nanos(), after - before);
              });
      receiving.close();
      filling.close();
    }
  }

  private static void receive(Receiving receiving, long until) throws InterruptedException {
    while (receiving.received() < until) {
      assertThat(receiving.receive(Duration.ofSeconds(10))).isPositive();
    }
  }
}
