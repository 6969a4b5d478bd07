package org.mqproof.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/** The document says which options of its own client each adapter passes on. */
class ClientOptionsDocumentTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "adapters.md");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "activemq",
        "artemis",
        "kafka",
        "mongodb",
        "nats",
        "postgresql",
        "pulsar",
        "rabbitmq"
      })
  void theTableSaysWhatIsPassedOn(String system) throws IOException {
    String rows = rows(options(system));
    String document = Files.readString(DOCUMENT, UTF_8);
    String begin = "<!-- client options of " + system + " -->\n";
    String end = "<!-- end -->\n";
    assertThat(document).contains(begin);
    int from = document.indexOf(begin) + begin.length();
    int to = document.indexOf(end, from);
    if (Boolean.getBoolean("adapters.update")) {
      document = document.substring(0, from) + rows + document.substring(to);
      Files.writeString(DOCUMENT, document, UTF_8);
      to = document.indexOf(end, from);
    }
    assertThat(document.substring(from, to))
        .as("docs/adapters.md differs: run this test with -Dadapters.update=true")
        .isEqualTo(rows);
  }

  private static ClientOptions options(String system) {
    return MqProvider.named(system).settings().stream()
        .flatMap(setting -> setting.clientOptions().stream())
        .findFirst()
        .orElseThrow();
  }

  private static String rows(ClientOptions options) {
    Map<Boolean, List<String>> taken =
        options.taken().stream().collect(Collectors.partitioningBy(options::isShown));
    Map<String, List<String>> refused = new TreeMap<>();
    options
        .refused()
        .forEach((option, why) -> refused.computeIfAbsent(why, w -> new ArrayList<>()).add(option));
    StringBuilder rows =
        new StringBuilder("| `%sNAME` | NAME |\n|---|---|\n".formatted(ClientOptions.PREFIX));
    rows.append(row("passed on", taken.getOrDefault(true, List.of())));
    rows.append(row("passed on as a secret", taken.getOrDefault(false, List.of())));
    refused.forEach((why, names) -> rows.append(row("refused: " + why, names)));
    return rows.toString();
  }

  private static String row(String what, List<String> names) {
    return "| %s | %s |\n"
        .formatted(
            what, names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", ")));
  }

  /** Else a harmless option of one client would be shown as the secret of another. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "activemq",
        "artemis",
        "kafka",
        "mongodb",
        "nats",
        "postgresql",
        "pulsar",
        "rabbitmq"
      })
  void whatIsShownSomewhereIsNoPassword(String system) {
    ClientOptions options = options(system);
    assertThat(options.taken().stream().filter(options::isShown))
        .noneMatch(name -> name.matches("(?i).*(password|secret|jaas.config|passphrase|token).*"));
    for (Setting<?> setting : MqProvider.named(system).settings()) {
      assertThat(setting.hides(ClientOptions.PREFIX + "x"))
          .isEqualTo(setting.clientOptions().isPresent());
    }
  }
}
