package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import eu.maveniverse.maven.mima.context.ContextOverrides;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.eclipse.aether.repository.RemoteRepository;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.cluster.ClusterException;

/** Resolves from a repository of files, so that neither the network nor the real cache counts. */
class MavenClassPathTest {

  private Path local;
  private Path remote;
  private final List<String> progress = new ArrayList<>();

  @BeforeEach
  void publish(@TempDir Path temporary) throws Exception {
    local = temporary.resolve("local");
    remote = temporary.resolve("remote");
    publish("leaf", "");
    publish("tool", "");
    publish("broker", dependency("leaf") + dependency("tool"));
  }

  private void publish(String artifact, String dependencies) throws Exception {
    publish(artifact, "1", "<dependencies>%s</dependencies>".formatted(dependencies));
  }

  private void publish(String artifact, String version, String content) throws Exception {
    Path directory = Files.createDirectories(remote.resolve("x/" + artifact + "/" + version));
    write(directory.resolve("%s-%s.jar".formatted(artifact, version)), artifact);
    write(
        directory.resolve("%s-%s.pom".formatted(artifact, version)),
        """
        <project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>%s</artifactId>
        <version>%s</version>%s</project>
        """
            .formatted(artifact, version, content));
  }

  private static void write(Path file, String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Files.write(file, bytes);
    byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(bytes);
    Files.writeString(Path.of(file + ".sha1"), HexFormat.of().formatHex(sha1));
  }

  private static String dependency(String artifact) {
    return "<dependency><groupId>x</groupId><artifactId>%s</artifactId><version>1</version></dependency>"
        .formatted(artifact);
  }

  private List<Path> resolve(String artifact, String... managedBy) {
    return MavenClassPath.resolve(
        "Broker 1",
        List.of("x:" + artifact + ":1"),
        List.of("x:tool"),
        List.of(managedBy),
        progress::add,
        ContextOverrides.create()
            .withLocalRepositoryOverride(local)
            .repositories(
                List.of(
                    new RemoteRepository.Builder("files", "default", remote.toUri().toString())
                        .build())));
  }

  @Test
  void resolvesDependenciesAndTellsOfEachDownload() {
    assertThat(resolve("broker"))
        .extracting(jar -> jar.getFileName().toString())
        .containsExactly("broker-1.jar", "leaf-1.jar");
    assertThat(progress)
        .containsExactly(
            "resolving Broker 1: 1 of 2 jars, 0.0 MB", "resolving Broker 1: 2 of 2 jars, 0.0 MB");
  }

  @Test
  void aManagedVersionWins() throws Exception {
    publish("leaf", "2", "");
    publish(
        "parent",
        "1",
        "<dependencyManagement><dependencies>%s</dependencies></dependencyManagement>"
            .formatted(dependency("leaf").replace("<version>1", "<version>2")));

    assertThat(resolve("broker", "x:parent:1"))
        .extracting(jar -> jar.getFileName().toString())
        .containsExactly("broker-1.jar", "leaf-2.jar");
  }

  @Test
  void isSilentAndNeedsNoRepositoryOnceEverythingIsHere() throws IOException {
    List<Path> jars = resolve("broker");
    progress.clear();
    GuardMain.deleteTree(remote);

    assertThat(resolve("broker")).isEqualTo(jars);
    assertThat(progress).isEmpty();
  }

  @Test
  void aJarThatWasAlteredOnTheWayIsRefused() throws IOException {
    Files.writeString(remote.resolve("x/leaf/1/leaf-1.jar"), "altered");

    assertThatThrownBy(() -> resolve("broker"))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("leaf")
        .hasMessageContaining("Checksum validation failed");
  }

  @Test
  void saysWhatToDoWhenSomethingIsMissing() {
    assertThatThrownBy(() -> resolve("absent"))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve Broker 1 from Maven Central: ")
        .hasMessageContaining("x:absent:")
        .hasMessageEndingWith("; run once with the network, then it works offline");
  }
}
