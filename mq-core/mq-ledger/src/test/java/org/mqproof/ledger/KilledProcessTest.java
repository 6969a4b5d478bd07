package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that records is killed by SIGKILL: what it recorded a second before is there. */
class KilledProcessTest {

  private static final int RUN = 99;

  /** What a history may lose. */
  private static final long LAST_MILLIS = 1000;

  private final Path directory;

  KilledProcessTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @ParameterizedTest
  @ValueSource(longs = {1210, 1790, 2450}) // at different moments between two writes
  void nothingOlderThanASecondIsMissing(long killedAfterMillis) throws Exception {
    Path file = directory.resolve("a.history");
    NavigableMap<Long, Long> recorded = new TreeMap<>();
    Death death = recordUntilKilled(file, killedAfterMillis, recorded);
    long messages = recorded.floorEntry(death.notBefore() - LAST_MILLIS).getValue();

    History history = History.read(List.of(file));

    assertThat(messages).isPositive();
    assertThat(history.verdict().attempted()).isGreaterThanOrEqualTo(messages);
    assertThat(history.verdict().delivered()).isGreaterThanOrEqualTo(messages);
    assertThat(history.verdict().acked()).isGreaterThanOrEqualTo(messages);
    assertThat(history.verdict())
        .returns(0L, Verdict::unexpected)
        .returns(0L, Verdict::corrupt)
        .returns(0L, Verdict::duplicated)
        .returns(0L, Verdict::lost)
        .returns(false, Verdict::drained);
    assertThat(history.beyond()).isZero();
    History.Part part = history.parts().get(0);
    assertThat(part.complete()).isFalse();
    assertThat(part.until().toEpochMilli())
        .isBetween(death.notBefore() - LAST_MILLIS, death.notAfter());
  }

  /** When a process died: between two times, in milliseconds since 1970. */
  private record Death(long notBefore, long notAfter) {}

  private static Death recordUntilKilled(
      Path file, long afterMillis, NavigableMap<Long, Long> recorded)
      throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                RecorderMain.class.getName(),
                file.toString(),
                Integer.toString(RUN))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = child.inputReader()) {
      long now = 0;
      do {
        String[] words = lines.readLine().split(" ", 2);
        now = Long.parseLong(words[0]);
        recorded.put(now, Long.parseLong(words[1]));
      } while (now - recorded.firstKey() < afterMillis);
      long notBefore = System.currentTimeMillis();
      child.destroyForcibly(); // SIGKILL where there are signals
      assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
      long notAfter =
          System.currentTimeMillis() + 10; // two clocks, of which one may be set meanwhile
      assertThat(Files.size(file)).isPositive();
      return new Death(notBefore, notAfter);
    } finally {
      child.destroyForcibly();
    }
  }
}
