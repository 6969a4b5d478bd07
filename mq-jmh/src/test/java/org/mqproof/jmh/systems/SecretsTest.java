package org.mqproof.jmh.systems;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.spi.MqProvider;

class SecretsTest {

  private final Secrets secrets = new Secrets();

  @Test
  void aPasswordGoesIntoAFileThatItsOwnerReads() throws Exception {
    String[] hidden =
        secrets.hidden(
            "FlowBenchmark",
            "-p",
            "system=rabbitmq",
            "-p",
            "settings=addresses=a:1;password= planted ;username=u,prefetch=7",
            "-f",
            "1");

    assertThat(hidden).hasSize(7).doesNotContain("planted");
    assertThat(hidden[4]).matches("settings=addresses=a:1;password.file=/.+;username=u,prefetch=7");
    Path file = Path.of(hidden[4].replaceAll(".*file=([^;]+);.*", "$1"));
    assertThat(file).hasContent("planted");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Path home = Objects.requireNonNull(file.getParent());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
        .isEqualTo("rwx------");
  }

  @Test
  void aPasswordMayHoldACommaAndAddressesFollowEachOther() {
    assertThat(secrets.hidden("-psettings=addresses=a:1,b:1;password=planted,too")[0])
        .matches("-psettings=addresses=a:1,b:1;password.file=/[^,]+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-psettings=password=planted",
        "-pmode=password=planted;",
        "-psettings=;password=planted"
      })
  void thereAreOtherWaysToWriteIt(String arg) {
    assertThat(secrets.hidden(arg)[0]).contains("password.file=").doesNotContain("planted");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-psettings=prefetch=7",
        "-psettings=password",
        "-psettings=password.file=x",
        "-pbatch=1..10",
        "settings=password=not-a-parameter"
      })
  void whatIsNoPasswordStays(String arg) {
    assertThat(secrets.hidden(arg)).containsExactly(arg);
  }

  @Test
  void anOptionOfAClientIsASecretUnlessItIsKnownToBeHarmless() {
    String[] hidden =
        secrets.hidden(
            "-psettings=client.send.buffer.bytes=7;client.sasl.jaas.config=planted;client.x=planted");

    assertThat(hidden[0])
        .startsWith("-psettings=client.send.buffer.bytes=7;client.sasl.jaas.config.file=/")
        .contains(";client.x.file=/")
        .doesNotContain("planted");
    assertThat(
            PublishedSettings.of(
                MqProvider.named("kafka"),
                Map.of(
                    "client.send.buffer.bytes", "7",
                    "client.metric.reporters", "planted",
                    "client.sasl.jaas.config.file", "/planted")))
        .isEqualTo(
            Map.of(
                "client.send.buffer.bytes", "7",
                "client.metric.reporters", "(not shown)",
                "client.sasl.jaas.config.file", "(not shown)"));
  }

  @Test
  void theSamePasswordStaysInOneFile() {
    assertThat(secrets.hidden("-psettings=password=a"))
        .isEqualTo(secrets.hidden("-psettings=password=a"))
        .isNotEqualTo(secrets.hidden("-psettings=password=b"));
  }

  @Test
  void noForkHasItOnItsCommandLine() {
    Properties properties = new Properties();
    properties.setProperty("mqproof.connect.rabbitmq.password", "planted");
    properties.setProperty("mqproof.connect.rabbitmq.addresses", "a:1");
    ForkOptions options = ForkOptions.of(properties, Path.of("results")).hidden(secrets);

    assertThat(options.jvmArgs())
        .contains("-Dmqproof.connect.rabbitmq.addresses=a:1")
        .noneMatch(arg -> arg.contains("planted"))
        .anyMatch(arg -> arg.startsWith("-Dmqproof.connect.rabbitmq.password.file=/"));
  }
}
