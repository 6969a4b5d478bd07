package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.spi.MqProvider;

/** The command as a program of its own, ended by a signal. */
class ClusterCommandIT {

  @Test
  void anUnknownSystemAndTooManyGetOneSentence() {
    PrintStream none = new PrintStream(PrintStream.nullOutputStream());

    assertThatThrownBy(() -> new ClusterCommand(new Secrets(), none).run(List.of("kofka")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("no cluster of 'kofka' can be started; found activemq, artemis, ");
    assertThatThrownBy(() -> new ClusterCommand(new Secrets(), none).run(List.of("kafka", "b")))
        .isInstanceOf(UsageException.class)
        .hasMessage("cluster takes one system; see cluster --help");
  }

  @Test
  @Timeout(600)
  void itsSettingsConnectAndASignalLeavesNothing() throws Exception {
    Process command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "cluster",
                "sqs")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      Map<String, String> settings = new HashMap<>();
      BufferedReader lines = command.inputReader(StandardCharsets.UTF_8);
      while (!settings.containsKey("region")) { // the last of the alphabet
        String line = lines.readLine();
        assertThat(line).as("the command goes on").isNotNull().contains("=");
        int equals = line.indexOf('=');
        settings.put(line.substring(0, equals), line.substring(equals + 1));
      }
      settings.put("call.bound", "2m"); // the first request to a new server, on a busy machine
      try (Mq mq = MqProvider.named("sqs").connect(settings)) {
        mq.createQueue("q");
        try (Sender sender = mq.sender("q");
            Receiver receiver = mq.receiver("q")) {
          sender.send(List.of(new Message(new byte[] {1})));
          assertThat(receiver.receive(1, Duration.ofSeconds(30))).hasSize(1);
        }
      }
      List<ProcessHandle> nodes = command.descendants().toList();
      assertThat(nodes).as("the node, and who watches it").hasSizeGreaterThanOrEqualTo(2);

      command.destroy(); // SIGTERM: an interrupt is ignored where a shell runs this in background

      assertThat(command.waitFor(60, TimeUnit.SECONDS)).isTrue();
      for (ProcessHandle node : nodes) {
        node.onExit().get(30, TimeUnit.SECONDS);
      }
    } finally {
      command.destroyForcibly(); // its guard ends what it started
    }
  }
}
