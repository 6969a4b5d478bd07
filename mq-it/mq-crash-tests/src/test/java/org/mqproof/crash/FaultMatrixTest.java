package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the document says of runs that end in different ways. */
class FaultMatrixTest {

  private static final String RUN =
      "at=2026-11-22T01:02:03Z\tsystem=kafka\tmode=acks=all\tversion=4.4.0\tfault=leader SIGKILL"
          + "\tseed=1\tprocessors=2";
  private static final String JUDGED =
      "\tconfirmed=1000\tunknown=3\trecovered=2\tduplicated=5\tunexpected=0\tcorrupt=0"
          + "\tdrained=true\tsend-gap-millis=2400";
  private static final String HOLDS =
      RUN + "\tpromised=true" + JUDGED + "\tlost=0\trate-back-millis=3000";
  private static final String LOST = RUN + "\tpromised=true" + JUDGED + "\tlost=7";
  private static final String MAY_LOSE = RUN + "\tpromised=false" + JUDGED + "\tlost=7";
  private static final String FAILED = RUN + "\tpromised=true\tfailed=no other leader in 60 s";

  @Test
  void runsThatHold() {
    assertThat(document(HOLDS, HOLDS))
        .contains("| kafka `acks=all` | 2 of 2 |")
        .contains("Version 4.4.0; 2026-11-22")
        .contains(
            "| leader SIGKILL | 2 | 2,000 | 0 | 78 % | 10 | - | - | 2,400 / 2,400 | - | - |"
                + " 3,000 / 3,000 | - |");
  }

  @Test
  void aBrokenPromiseStandsOut() {
    assertThat(document(HOLDS, LOST))
        .contains("| kafka `acks=all` | **1 of 2** |")
        .contains("| leader SIGKILL | 2 | 2,000 | 7 | - |")
        .contains("3,000 / 3,000, not in 1 of 2");
  }

  @Test
  void aRunThatCouldNotBeJudgedStandsOut() {
    assertThat(document(HOLDS, FAILED)).contains("| kafka `acks=all` | **1 of 2, 1 not judged** |");
  }

  @Test
  void whatAModeMayLoseIsCounted() {
    assertThat(document(MAY_LOSE)).contains("| kafka `acks=all` | *0 of 1*, 7 lost |");
  }

  @Test
  void whatIsPromisedNowCounts() {
    String notPromisedYet = HOLDS.replace("promised=true", "promised=false");
    String notPromisedAnyMore = MAY_LOSE.replace("at=2026-11-22", "at=2026-11-23");

    assertThat(document(notPromisedYet, HOLDS.replace("at=2026-11-22", "at=2026-11-23")))
        .contains("| kafka `acks=all` | 2 of 2 |");
    assertThat(document(HOLDS, notPromisedAnyMore))
        .contains("| kafka `acks=all` | *1 of 2*, 7 lost |");
  }

  @Test
  void theBoundIsExact() {
    assertThat(boundOf(1)).isEqualTo("95 %");
    assertThat(boundOf(20)).isEqualTo("14 %"); // by the rule of three 15
    assertThat(boundOf(300)).isEqualTo("1 %");
  }

  private static String boundOf(int runs) {
    return FaultMatrix.bound(Collections.nCopies(runs, CellRun.parse(HOLDS)));
  }

  @Test
  void aLineIsReadAsItWasWritten() {
    CellRun run = CellRun.parse(LOST);

    assertThat(CellRun.parse(run.line())).isEqualTo(run);
  }

  private static String document(String... lines) {
    List<CellRun> runs = new ArrayList<>();
    for (String line : lines) {
      runs.add(CellRun.parse(line));
    }
    return FaultMatrix.document(runs);
  }
}
