package org.mqproof.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  private static final MqProvider PROVIDER = new TestProvider();

  @Test
  void haveTheirDefaultsWhereNothingIsGiven() {
    Settings settings = Settings.of(PROVIDER, Map.of());

    assertThat(settings.get(TestProvider.HOST)).isEqualTo("localhost");
    assertThat(settings.get(TestProvider.NAME)).isEqualTo("q");
    assertThat(settings.get(TestProvider.PARTITIONS)).isEqualTo(8);
    assertThat(settings.get(TestProvider.INTERVAL)).isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.get(TestProvider.ACKS)).isEqualTo(TestProvider.Acks.ALL);
    assertThat(settings.get(TestProvider.SYNC)).isTrue();
  }

  @Test
  void haveTheValuesGiven() {
    Settings settings =
        Settings.of(
            PROVIDER,
            Map.of(
                "host", "10.0.0.1",
                "name", "orders",
                "partitions", "100",
                "interval", "1500ms",
                "acks", "leader-only",
                "sync", "false"));

    assertThat(settings.get(TestProvider.HOST)).isEqualTo("10.0.0.1");
    assertThat(settings.get(TestProvider.NAME)).isEqualTo("orders");
    assertThat(settings.get(TestProvider.PARTITIONS)).isEqualTo(100);
    assertThat(settings.get(TestProvider.INTERVAL)).isEqualTo(Duration.ofMillis(1500));
    assertThat(settings.get(TestProvider.ACKS)).isEqualTo(TestProvider.Acks.LEADER_ONLY);
    assertThat(settings.get(TestProvider.SYNC)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"5m,300000", "2s,2000", "0ms,0", "0s,0"})
  void readDurationsWithTheirUnit(String text, long millis) {
    assertThat(Settings.of(PROVIDER, Map.of("interval", text)).get(TestProvider.INTERVAL))
        .hasMillis(millis);
  }

  @Test
  void nameAnUnknownKeyAndAllValidOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.of(PROVIDER, Map.of("partition", "3")))
        .withMessageStartingWith("test: unknown setting partition; the settings are host: a host")
        .withMessageContaining("partitions: a whole number from 1 to 100 (default 8)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "partitions | many  | a whole number from 1 to 100 (default 8)",
        "partitions | 0     | a whole number from 1 to 100 (default 8)",
        "partitions | 101   | a whole number from 1 to 100 (default 8)",
        "interval   | 10    | a number with ms, s, m or h, from 0s to 300s (default 10s)",
        "interval   | 6m    | a number with ms, s, m or h, from 0s to 300s (default 10s)",
        "interval   | 999999999999h | a number with ms, s, m or h, from 0s to 300s (default 10s)",
        "acks       | ALL   | all or leader-only (default all)",
        "sync       | yes   | true or false (default true)",
        "name       | Q1    | lower-case letters (default q)",
        "host       | '  '  | a host name (default localhost)",
      })
  void sayWhatAMalformedValueShouldBe(String key, String value, String valid) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.of(PROVIDER, Map.of(key, value)))
        .withMessage("test: setting %s cannot be '%s': it takes %s", key, value, valid);
  }

  @Test
  void readASecretFromItsFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("secret");
    for (String end : List.of("", "\n", "\r\n")) {
      Files.writeString(file, " two words " + end);

      Settings settings = Settings.of(PROVIDER, Map.of("password.file", file.toString()));

      assertThat(settings.get(TestProvider.PASSWORD)).isEqualTo(" two words ");
    }
  }

  @Test
  void showNoSecret(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "planted");
    Path none = directory.resolve("none");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Settings.of(
                    PROVIDER, Map.of("password", "planted", "password.file", file.toString())))
        .withMessage("test: settings password and password.file are both given: one is enough");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.of(PROVIDER, Map.of("password.file", none.toString())))
        .withMessage(
            "test: setting password.file cannot be '%s': it takes the path of a text file that can"
                + " be read (NoSuchFileException)",
            none);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.of(PROVIDER, Map.of("password", "planted", "passwd", "x")))
        .withMessageContaining("password: any text, or password.file=the path of a file")
        .withMessageNotContaining("planted");
  }

  @Test
  void aSecretIsReadAgainWheneverItIsAskedFor(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "first");
    Settings settings =
        Settings.of(
            PROVIDER,
            Map.of("password.file", file.toString(), "client.ssl.key.file", file.toString()));
    Files.writeString(file, "second\n");

    assertThat(settings.get(TestProvider.PASSWORD)).isEqualTo("second");
    assertThat(settings.get(TestProvider.CLIENT)).isEqualTo(Map.of("ssl.key", "second"));

    Files.delete(file); // as it may be for a moment while it is replaced
    assertThat(settings.get(TestProvider.PASSWORD)).isEqualTo("second");
  }

  @Test
  void theClientsOwnOptionsKeepTheirNames() {
    assertThat(
            Settings.of(
                    PROVIDER,
                    Map.of("client.buffer", "7", "client.ssl.x", "y", "client.ca.file", "a path"))
                .get(TestProvider.CLIENT))
        .isEqualTo(Map.of("buffer", "7", "ssl.x", "y", "ca.file", "a path"));
    assertThat(Settings.of(PROVIDER, Map.of()).get(TestProvider.CLIENT)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "acks      | setting client.acks is refused: a confirm rests on it",
        "acks.file | setting client.acks is refused: a confirm rests on it",
        "group.id  | setting client.group.id is refused: acks rest on it",
        "linger    | setting client.linger is refused: the test's client has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String says) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.of(PROVIDER, Map.of("client." + option, "planted")))
        .withMessage("test: " + says);
  }

  @Test
  void anOptionIsHiddenUnlessItIsKnownToBeHarmless(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "planted");

    assertThat(TestProvider.CLIENT.hides("client.jaas")).isTrue();
    assertThat(TestProvider.CLIENT.hides("client.nobody.knows")).isTrue();
    assertThat(TestProvider.CLIENT.hides("client.jaas.file")).isFalse();
    assertThat(TestProvider.CLIENT.hides("client.buffer")).isFalse();
    assertThat(TestProvider.PASSWORD.hides("password")).isTrue();
    assertThat(TestProvider.PASSWORD.hides("password.file")).isFalse();
    assertThat(TestProvider.NAME.hides("name")).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Settings.of(
                    PROVIDER,
                    Map.of("client.jaas", "planted", "client.jaas.file", file.toString())))
        .withMessage(
            "test: settings client.jaas and client.jaas.file are both given: one is enough");
  }
}
