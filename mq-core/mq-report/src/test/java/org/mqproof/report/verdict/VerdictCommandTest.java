package org.mqproof.report.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Ordering;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;

final class VerdictCommandTest {

  private static final int RUN = 12;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Path senders;
  private final Path receivers;

  VerdictCommandTest(@TempDir Path directory) {
    senders = directory.resolve("senders.history");
    receivers = directory.resolve("receivers.history");
  }

  @Test
  void twoProcessesThatLostNothingArePrintedAsProven() throws IOException {
    record(100, 100, true);

    assertThat(run(senders, receivers)).isEqualTo(VerdictCommand.HOLDS);
    assertThat(printed())
        .containsPattern("senders.history: kafka, from \\d{4}-.* to .* UTC, complete\n")
        .contains("receivers.history: without a name, from ")
        .contains("run 12: 100 attempted (100 confirmed, 0 rejected, 0 unknown), 100 delivered")
        .contains(" acked; order none, faults yes\n")
        .endsWith("at-least-once holds; 100 confirmed\n")
        .doesNotContain("leader killed");
  }

  @Test
  void whatWasLostIsNamed() throws IOException {
    record(100, 97, true);

    assertThat(run(senders, receivers)).isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed())
        .contains("\n  lost: sender 4 sequences 97-99\n")
        .contains("at-least-once broken: 3 lost; 100 confirmed");
  }

  @Test
  void aRunThatWasNotDrainedIsNotProven() throws IOException {
    record(100, 97, false);

    assertThat(run(senders, receivers)).isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed()).contains("at-least-once not proven: not drained, 3 unverified; 100");
  }

  @Test
  void aHistoryWithoutItsEndIsNeverProvenAndSaysHowFarItGoes() throws IOException {
    record(100, 100, true);
    byte[] whole = Files.readAllBytes(senders);
    Files.write(senders, Arrays.copyOf(whole, whole.length - 3));

    assertThat(run(senders, receivers)).isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed())
        .containsPattern("senders.history: kafka, from .* to .* UTC, INCOMPLETE: its process was")
        .containsPattern("at-least-once not proven: (nothing confirmed, )?not drained; ");
  }

  @Test
  void anEmptyHistoryProvesNothing() throws IOException {
    record(0, 0, true);

    assertThat(run(senders, receivers)).isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed()).endsWith("at-least-once not proven: nothing confirmed; 0 confirmed\n");
  }

  @Test
  void whatARunIsHeldToCanBeSaidOnTheCommandLine() throws IOException {
    try (Ledger ledger = Ledger.recordedTo(senders, RUN, "reordered")) {
      ledger.expect(Expectations.AT_LEAST_ONCE.withOrder(Ordering.PER_SENDER));
      ledger.fault("leader killed");
      ledger.sender(4).attempted(0, 2);
      ledger.sender(4).confirmed(0, 2);
      ReceiverLog log = ledger.newReceiver();
      for (int sequence : new int[] {1, 0}) {
        log.delivered(4, sequence);
        log.acked(4, sequence);
      }
      ledger.verdict(true);
    }

    String file = senders.toString();
    assertThat(run(senders)).isEqualTo(VerdictCommand.HOLDS);
    assertThat(printed())
        .contains("; order per-sender, faults yes\n")
        .endsWith("at-least-once holds; 2 confirmed, 1 reordered (nonmonotonic send)\n");
    assertThat(VerdictCommand.run(List.of("--faults", "no", file), print()))
        .isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed())
        .contains("\n  reordered: sender 4 sequence 0\n")
        .endsWith("at-least-once broken: 1 reordered (nonmonotonic send); 2 confirmed\n");
    assertThat(VerdictCommand.run(List.of("--faults", "no", "--order", "none", file), print()))
        .isEqualTo(VerdictCommand.HOLDS);
    assertThatThrownBy(() -> VerdictCommand.run(List.of("--order", "some", file), print()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("verdict: Cannot parse argument 'some' of option order; try verdict --help");
  }

  @Test
  void whatHappenedIsListedWithItsTimes() throws IOException {
    record(1, 1, true);

    assertThat(VerdictCommand.run(List.of("--marks", senders.toString()), print()))
        .isEqualTo(VerdictCommand.NOT_PROVEN);
    assertThat(printed()).containsPattern("\n\\d{4}-\\d\\d-\\d\\d [0-9:.]{12} leader killed\n");
  }

  @Test
  void helpNamesEveryExitCode() throws IOException {
    assertThat(VerdictCommand.run(List.of("--help"), print())).isEqualTo(VerdictCommand.HOLDS);
    assertThat(printed()).contains("0 at-least-once holds", "1 it is broken or not", "2 nothing");
  }

  @Test
  void aWrongCommandLineIsOneSentence() {
    assertThatThrownBy(() -> VerdictCommand.run(List.of(), print()))
        .hasMessage("verdict: which file? try verdict --help");
    assertThatThrownBy(() -> VerdictCommand.run(List.of("--nothing"), print()))
        .hasMessage("verdict: nothing is not a recognized option; try verdict --help");
    assertThatThrownBy(() -> run(Path.of("absent.history")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no file absent.history");
  }

  private void record(int sent, int received, boolean drained) throws IOException {
    try (Ledger here = Ledger.recordedTo(senders, RUN, "kafka");
        Ledger there = Ledger.recordedTo(receivers, RUN, "")) {
      here.sender(4).attempted(0, sent);
      here.sender(4).confirmed(0, sent);
      here.fault("leader killed");
      ReceiverLog log = there.newReceiver();
      for (int sequence = 0; sequence < received; sequence++) {
        log.delivered(4, sequence);
        log.acked(4, sequence);
      }
      there.verdict(drained);
    }
  }

  private int run(Path... files) throws IOException {
    return VerdictCommand.run(Arrays.stream(files).map(Path::toString).toList(), print());
  }

  private PrintStream print() {
    return new PrintStream(out, true, StandardCharsets.UTF_8);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
