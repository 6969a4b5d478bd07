package org.mqproof.pulsar;

import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * {@code pulsar-perf produce} without the tool's other commands: its own main class loads them all,
 * and with them the broker. Runs in a JVM that has the tool and this class, and nothing else.
 */
final class PulsarPerfMain {

  /** The tool logs its rates, and the tests beside this class have no use for a log. */
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.log.org.apache.pulsar.testclient";

  private PulsarPerfMain() {}

  /** The command's own arguments. */
  public static void main(String[] args) throws ReflectiveOperationException {
    System.setProperty(LOG_LEVEL, "info");
    Object command =
        Class.forName("org.apache.pulsar.testclient.PerformanceProducer")
            .getDeclaredConstructor()
            .newInstance();
    Object succeeded =
        command.getClass().getMethod("run", String[].class).invoke(command, (Object) args);
    if (!Boolean.TRUE.equals(succeeded)) {
      System.exit(1);
    }
  }

  /** Where this class is. */
  static Path directory() throws URISyntaxException {
    return Path.of(
        PulsarPerfMain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
