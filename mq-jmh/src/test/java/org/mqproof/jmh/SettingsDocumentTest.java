package org.mqproof.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/** The document lists every setting of every adapter. */
class SettingsDocumentTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "settings.md");

  private static final List<String> SYSTEMS =
      List.of(
          "kafka",
          "rabbitmq",
          "artemis",
          "activemq",
          "mongodb",
          "postgresql",
          "nats",
          "valkey",
          "rocketmq",
          "sqs",
          "eventstore",
          "pulsar",
          "memory");

  private static final String INTRODUCTION =
      """
      <!-- Made from the adapters' settings. Do not edit:
           mvn -pl mq-jmh -am test -Dtest=SettingsDocumentTest -Dsurefire.failIfNoSpecifiedTests=false
               -Dsettings.update=true -->
      # Settings

      What `MqProvider.connect(Map)` and `-p 'settings=KEY=VALUE;KEY=VALUE'` accept. An unknown key is an error. For a
      setting whose value is a secret, `KEY.file` names a file that holds it. What the modes guarantee is in
      [adapters.md](adapters.md), TLS and authentication are in [security.md](security.md).
      """;

  private static final String HEADING =
      "| Setting | Values | Default | Meaning |\n|---|---|---|---|\n";

  @Test
  void theDocumentListsEverySetting() throws IOException {
    String rendered = rendered();
    if (Boolean.getBoolean("settings.update")) {
      Files.writeString(DOCUMENT, rendered, UTF_8);
    }
    assertThat(DOCUMENT)
        .as("docs/settings.md differs: run this test with -Dsettings.update=true")
        .content(UTF_8)
        .isEqualTo(rendered);
  }

  private static String rendered() {
    List<String> tls = rows("kafka").stream().filter(row -> row.startsWith("| `tls")).toList();
    StringBuilder text = new StringBuilder(INTRODUCTION);
    for (String system : SYSTEMS) {
      text.append("\n## ").append(system).append("\n\n").append(HEADING);
      List<String> rows = rows(system);
      boolean hasTls = rows.containsAll(tls);
      rows.stream().filter(row -> !hasTls || !tls.contains(row)).forEach(text::append);
      text.append(hasTls ? "| `tls`, `tls.*` | | | [below](#tls) |\n" : "");
    }
    text.append("\n## TLS\n\n").append(HEADING);
    tls.forEach(text::append);
    return text.toString();
  }

  private static List<String> rows(String system) {
    return MqProvider.named(system).settings().stream()
        .filter(setting -> setting.clientOptions().map(o -> !o.taken().isEmpty()).orElse(true))
        .map(SettingsDocumentTest::row)
        .toList();
  }

  private static String row(Setting<?> setting) {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(
            setting.key(),
            setting.isSecret() ? "a secret" : setting.validValues(),
            setting.defaultText().isEmpty() ? "" : "`" + setting.defaultText() + "`",
            setting.description());
  }
}
