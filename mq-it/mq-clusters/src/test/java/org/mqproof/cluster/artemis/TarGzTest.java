package org.mqproof.cluster.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives made by the system's own tar command. */
class TarGzTest {

  private Path directory = Path.of("");
  private Path archive = Path.of("");

  @BeforeEach
  void pack(@TempDir Path temporary) throws Exception {
    directory = temporary;
    Path lib = Files.createDirectories(directory.resolve("product-1/lib"));
    Files.write(lib.resolve("a-empty.jar"), new byte[0]);
    Files.writeString(lib.resolve("b-wanted.jar"), "wanted".repeat(1_000));
    Files.writeString(lib.resolve("c-last.jar"), "last");
    archive = directory.resolve("product.tar.gz");
    Process tar =
        new ProcessBuilder(
                "tar",
                "-czf",
                archive.toString(),
                "product-1/lib/a-empty.jar",
                "product-1/lib/b-wanted.jar",
                "product-1/lib/c-last.jar")
            .directory(directory.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
  }

  @Test
  void findsAFileAmongOthers() throws IOException {
    Path to = directory.resolve("found");

    TarGz.extract(archive, "/lib/b-wanted.jar", to);
    assertThat(to).hasContent("wanted".repeat(1_000));
    TarGz.extract(archive, "/lib/a-empty.jar", to);
    assertThat(to).isEmptyFile();
    TarGz.extract(archive, "/lib/c-last.jar", to);
    assertThat(to).hasContent("last");
  }

  @Test
  void aFileThatIsNotThereIsAnError() {
    assertThatThrownBy(() -> TarGz.extract(archive, "/lib/d.jar", directory.resolve("found")))
        .isInstanceOf(IOException.class)
        .hasMessage(archive + " has no /lib/d.jar");
  }

  @Test
  void anArchiveThatIsCutShortIsAnError() throws IOException {
    byte[] bytes = Files.readAllBytes(archive);
    Files.write(archive, Arrays.copyOf(bytes, bytes.length / 2));

    assertThatThrownBy(() -> TarGz.extract(archive, "/lib/c-last.jar", directory.resolve("found")))
        .isInstanceOf(IOException.class);
  }
}
