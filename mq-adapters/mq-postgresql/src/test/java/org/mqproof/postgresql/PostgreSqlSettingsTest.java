package org.mqproof.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.Traits;
import org.mqproof.spi.Settings;

class PostgreSqlSettingsTest {

  private static PostgreSqlSettings settings(Map<String, String> given) {
    return new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), given));
  }

  @ParameterizedTest
  @CsvSource({
    "on, 3, true, true",
    "remote-apply, 3, true, true",
    "on, 1, true, false",
    "local, 3, false, false",
    "local, 1, true, false",
    "off, 1, false, false",
  })
  void aModePromisesWhatItsCommitWaitsFor(
      String commit, String copies, boolean durable, boolean replicationAwaited) {
    Traits traits = settings(Map.of("synchronous.commit", commit, "copies", copies)).traits();
    assertThat(traits.mode()).isEqualTo("synchronous.commit=" + commit);
    assertThat(traits.durable()).isEqualTo(durable);
    assertThat(traits.replicationAwaited()).isEqualTo(replicationAwaited);
  }

  @Test
  void aClaimHidesForThePeriodAndUntilItIsHandedOut() {
    PostgreSqlSettings settings = settings(Map.of("claim.period", "20s"));
    assertThat(settings.bounds().hidden()).hasSeconds(25);
    assertThat(settings(Map.of("claim.period", "1s")).bounds().hidden()).hasSeconds(2);
  }

  @Test
  void aConnectionIsGivenUpWellWithinACall() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connect.bound", "5s", "call.bound", "12s")))
        .withMessage(
            "postgresql: setting connect.bound cannot be 5000 ms: it takes at most a quarter of"
                + " call.bound, 3000 ms");
  }

  /** A statement that a broken connection or a shutdown ended may have been committed. */
  @ParameterizedTest
  @CsvSource({
    "42P01, true",
    "25006, true",
    "53100, true",
    "23505, true",
    "57014, false",
    "57P01, false",
    "08006, false",
    "01000, false",
    ", false",
  })
  void onlyWhatTheServerUndidHasCertainlyNotHappened(String state, boolean nothingHappened) {
    assertThat(Errors.nothingHappened(new SQLException("said", state))).isEqualTo(nothingHappened);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "options            | a confirm rests on it; setting synchronous.commit has what may be chosen",
        "autosave           | a confirm rests on it; setting synchronous.commit has what may be chosen",
        "targetServerType   | that the primary confirms rests on it",
        "readOnly           | that the primary confirms rests on it",
        "socketTimeout      | that calls end in time rests on it; setting call.bound has it",
        "loginTimeout       | that calls end in time rests on it; setting connect.bound has it",
        "service            | setting addresses has it",
        "password           | setting password has it",
        "sslmode            | settings tls.* have it",
        "sslrootcert        | settings tls.* have it",
        "synchronous_commit | pgjdbc has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("postgresql: setting client.%s is refused: %s", option, why);
  }

  @Test
  void numbersAndChoicesMayBeShown() {
    assertThat(PostgreSqlOptions.ALL.isShown("sendBufferSize")).isTrue();
    assertThat(PostgreSqlOptions.ALL.isShown("gssEncMode")).isTrue();
    assertThat(PostgreSqlOptions.ALL.isShown("ApplicationName")).isFalse();
    assertThat(PostgreSqlOptions.ALL.isShown("socketFactoryArg")).isFalse();
  }
}
