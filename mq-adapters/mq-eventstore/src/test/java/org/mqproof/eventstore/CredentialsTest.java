package org.mqproof.eventstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {

  @Test
  void noneAreNeeded() {
    assertThat(Credentials.read("none", name -> null)).isEmpty();
  }

  @Test
  void theEnvironmentHasThem() {
    Map<String, String> environment =
        Map.of("EVENTSTORE_USERNAME", "bob", "EVENTSTORE_PASSWORD", "s3cret");
    Credentials credentials = Credentials.read("env", environment::get).orElseThrow();
    assertThat(credentials.header()).isEqualTo("Basic Ym9iOnMzY3JldA==");
    assertThat(credentials).hasToString("Credentials[of bob]");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Credentials.read("env", Map.of("EVENTSTORE_USERNAME", "bob")::get))
        .withMessage(
            "eventstore: setting credentials cannot be 'env': there is no EVENTSTORE_PASSWORD");
  }

  @Test
  void aFileHasThem(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("f");
    Files.writeString(file, "username = bob\npassword = s3cret\n", UTF_8);
    assertThat(Credentials.read("file:" + file, name -> null).orElseThrow().header())
        .isEqualTo("Basic Ym9iOnMzY3JldA==");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Credentials.read("file:" + file + "x", name -> null))
        .withMessageContaining("the file cannot be read");
  }
}
