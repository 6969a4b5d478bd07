package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PerfTestTest {

  @Test
  void theFastQueueOfTheStudy() {
    assertThat(
            line(
                "--producers 2 --consumers 2 --confirm 3000 --multi-ack-every 3000 --qos 3000"
                    + " --variable-size 10:900 --variable-size 100:900 --variable-size 1000:900"
                    + " --variable-size 5000:900 --auto-delete false --flag persistent"
                    + " --quorum-queue --queue qq --time 3600"))
        .isEqualTo(
            "\\.FlowBenchmark\\. -f 1 -wi 1 -w 2s -i 3 -r 300000ms -tg 2,2"
                + " -p async=true -p batch=1 -p bodyBytes=32,100,1000,5000"
                + " -p mode=queue.type=quorum -p receiveMax=3000 -p settings=prefetch=3000"
                + " -p system=rabbitmq -p window=3000");
  }

  @Test
  void aRateOfTheStudyIsAnOpenLoop() {
    assertThat(line("-x 1 -y 1 -r 10000 -c 3000 -A 3000 -q 3000 -s 100 -z 30 --scale 0.1"))
        .startsWith("\\.OpenLoopBenchmark\\. ")
        .contains("-r 1000ms -tg 1,1 ", " -p rate=10000 ", " -p bodyBytes=100 ");
  }

  @Test
  void theManyQueuesOfTheStudy() {
    assertThat(
            line(
                "--producers 500 --consumers 500 --publishing-interval 0.1 --confirm 10"
                    + " --multi-ack-every 100 --qos 100 --variable-size 10:900"
                    + " --queue-pattern cq-%d --queue-pattern-from 1 --queue-pattern-to 500"))
        .contains("-tg 500,500", " -p queues=500 ", " -p rate=5000 ", " -p window=10")
        .startsWith("\\.OpenLoopBenchmark\\. ");
  }

  @Test
  void theLongQueueOfTheStudyIsFilledAndEmptied() {
    assertThat(
            line(
                "--producers 2 --consumers 0 --confirm 3000 --pmessages 5000000"
                    + " --queue-args x-max-in-memory-length=0 --quorum-queue --queue qq"))
        .startsWith("\\.SendBenchmark\\. ")
        .contains("-t 2 ", "-p window=3000");
    assertThat(
            line(
                "--producers 0 --consumers 2 --multi-ack-every 3000 --qos 3000 --exit-when empty"
                    + " --queue-args x-max-in-memory-length=0 --quorum-queue --queue qq"))
        .startsWith("\\.ReceiveBenchmark\\. ")
        .contains("-t 2 ", "-p receiveMax=3000", "-p prefill=200000")
        .doesNotContain("-p batch", "-p async");
  }

  @Test
  void whatFollowsIsOurs() {
    assertThat(line("-x 1 -y 1 -s 50 -- -p system=memory -p settings= -i 1 -prof gc"))
        .contains("-p system=memory", "-i 1", "-prof gc");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--predeclared",
        "-x many",
        "-x",
        "--flag mandatory",
        "--auto-delete true",
        "-x 2 -y 2 --queue-pattern-from 1 --queue-pattern-to 9"
      })
  void whatCannotBeTranslatedIsRefused(String args) {
    assertThatThrownBy(() -> line(args)).isInstanceOf(IllegalArgumentException.class);
  }

  private static String line(String args) {
    return String.join(" ", PerfTest.commandLine(List.of(args.split(" "))));
  }
}
