package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.cluster.ClusterException;

class ServerProgramTest {

  private static final ServerProgram MONGOD =
      new ServerProgram(
          "mongod", "MongoDB", "mqproof.mongod", Pattern.compile("db version v(\\S+)"));

  private final Path root;

  ServerProgramTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void withoutMongodOneSentenceSaysWhatToDo() {
    assertThatThrownBy(() -> MONGOD.find(null, List.of(root)))
        .isInstanceOf(ClusterException.class)
        .hasMessage(
            "there is no mongod on the PATH: install MongoDB, or run"
                + " mq-it/mq-clusters/fetch-server mongod, and name the program with -Dmqproof.mongod=...");
  }

  @Test
  void findsTheOneOnThePath() throws IOException {
    Path mongod = program("bin/mongod", "db version v7.0.1");

    assertThat(MONGOD.find(null, List.of(root, root.resolve("bin")))).isEqualTo(mongod);
  }

  @Test
  void theOneThatIsNamedComesFirst() throws IOException {
    program("bin/mongod", "db version v7.0.1");
    Path named = program("other", "db version v6.0.5");

    assertThat(MONGOD.find(named.toString(), List.of(root.resolve("bin")))).isEqualTo(named);
  }

  @Test
  void aNameOfNothingIsAClearError() throws IOException {
    program("bin/mongod", "db version v7.0.1");

    for (Path wrong : List.of(root.resolve("none"), root)) {
      assertThatThrownBy(() -> MONGOD.find(wrong.toString(), List.of(root.resolve("bin"))))
          .isInstanceOf(ClusterException.class)
          .hasMessage(
              "there is no program at %s, which the system property mqproof.mongod names"
                  .formatted(wrong));
    }
  }

  @Test
  void asksForTheVersion() throws IOException {
    Path mongod = program("mongod", "db version v6.0.5\nBuild Info: {");

    assertThat(MONGOD.versionOf(mongod)).isEqualTo("6.0.5");
  }

  @Test
  void aProgramThatTellsNoVersionIsQuoted() throws IOException {
    Path mongod = program("mongod", "error while loading shared libraries: libssl.so.1.1");

    assertThatThrownBy(() -> MONGOD.versionOf(mongod))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("error while loading shared libraries: libssl.so.1.1");
  }

  private Path program(String name, String says) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\ncat <<'END'\n" + says + "\nEND\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
