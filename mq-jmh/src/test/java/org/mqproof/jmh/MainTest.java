package org.mqproof.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines that measure nothing, in this JVM. */
@Timeout(180)
class MainTest {

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @SuppressWarnings("NullAway.Init") // by JUnit
  @TempDir
  Path directory;

  /** One sentence, quickly, and nothing measured. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          FlowBenchmark                                              | which system?
          FlowBenchmark -p system=kafak                              | no system 'kafak' on the class path
          FlowBenchmark -p system=memory -p settings=colour=red      | memory: unknown setting colour
          FlowBenchmark -p system=broken -p mode=fault=huge          | broken: setting fault cannot be 'huge'
          FlowBenchmark -p system=memory -p batch=ten                | batch cannot be 'ten'
          FlowBenchmark -p system=memory -p rttMillis=5              | rttMillis takes a cluster that is started here, and memory is not
          FlowBenchmark -p system=memory -p bach=10                  | no chosen benchmark has a parameter bach
          NoBenchmark -p system=memory                               | no benchmark matches
          FlowBenchmark -p system=memory -bm avgt                    | -bm avgt is not for these benchmarks
          SendBenchmark -p system=memory -bm all                     | -bm all is not for these benchmarks
          FlowBenchmark -p system=memory -tu ms                      | -tu milliseconds is not for these benchmarks
          FlowBenchmark -p system=memory -opi 10                     | -opi is not for these benchmarks
          FlowBenchmark -p system=memory -tg 2,0                     | -tg 2,0 cannot be: FlowBenchmark takes SENDERS,RECEIVERS
          OpenLoopBenchmark -p system=memory -tg 1,1,1               | -tg 1,1,1 cannot be: OpenLoopBenchmark takes
          SendBenchmark -p system=memory -tg 3,2                     | -tg is not for SendBenchmark, whose threads all do the same
          FlowBenchmark -p system=memory --what                      | the command line is wrong
          FlowBenchmark -p system=memory -rf xml                     | the command line is wrong: -rf takes one of [
          FlowBenchmark -p system=memory -o no/such/directory        | -o cannot be written: no/such/directory
          Flow( -p system=memory                                     | 'Flow(' cannot name benchmarks
          delete-queue --system memory                               | delete-queue: system is not a recognized option; try delete-queue --help
          calibrate FlowBenchmark -p system=memory                   | calibrate holds systems against memory, which is the ceiling
          calibrate NoBenchmark -p system=kafka                      | no benchmark matches
          scenario s9                                                | there is no scenario 's9'; there are s0-scaling,
          scenario s2-loopback -p bach=10                            | no benchmark of this scenario has a parameter bach
          scenario s2-loopback --scale 0                             | --scale cannot be '0'
          OpenLoopBenchmark -p system=memory -p arrivals=often       | arrivals cannot be 'often'
          perftest -x 1 -y 1 --predeclared                           | perftest has no counterpart of '--predeclared'
          overview -p system=memory -p rate=5                        | overview sets rate itself
          overview -p system=memory -p bach=10                       | no chosen benchmark has a parameter bach
          sustain -p system=memory --p99 fast                        | --p99 cannot be 'fast'
          sustain -p system=memory --from 5 --to 4                   | --from 5 is above --to 4
          sustain -p system=memory -p rate=5                         | sustain sets the rate itself
          lint none.csv                                              | there is no file none.csv
          compare none.json                                          | compare: which two files?
          report none.json                                           | there is no file none.json
          FlowBenchmark -p system=kafka -p settings=bootstrap.servers=127.0.0.1:1 | 127.0.0.1:1
          """)
  void whatCannotBeDoneIsSaidInOneSentence(String args, String sentence) {
    long start = System.nanoTime();

    assertThat(run(args.split(" "))).as(output.toString(UTF_8)).isEqualTo(Command.USAGE);
    assertThat(output.toString(UTF_8).strip())
        .contains(sentence)
        .doesNotContain("\n")
        .doesNotContain("\tat ");
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(60));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theScenariosAreListed() {
    assertThat(run("scenario", "--list")).isZero();
    assertThat(output.toString(UTF_8)).contains("s0-scaling").contains("about 3 min with kafka");
  }

  private int run(String... args) {
    Properties before = System.getProperties();
    Properties own = new Properties();
    own.putAll(before);
    own.setProperty("jmh.ignoreLock", "true"); // other modules' builds may measure at the same time
    own.setProperty("mqproof.results", directory.toString());
    System.setProperties(own);
    try (PrintStream both = new PrintStream(output, true, UTF_8)) {
      return Main.run(args, both, both);
    } finally {
      System.setProperties(before);
    }
  }
}
