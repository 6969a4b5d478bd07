package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes, with a JVM that loads one class of a jar. */
class NodeProgramTest {

  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final String LOADED = NullMarked.class.getName();

  private final Path directory;
  private final Path jar;
  private final Cache cache;
  private ClusterHome home = ClusterHome.create("test");

  NodeProgramTest(@TempDir Path directory) throws Exception {
    this.directory = directory;
    jar = Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    cache = new Cache(directory.resolve("cache"));
  }

  @AfterEach
  void close() {
    home.close();
  }

  private NodeProgram program(Path... jars) throws IOException {
    return NodeProgram.of(cache, WaitingMain.class.getName(), List.of(jars));
  }

  private NodeProcess start(NodeProgram program) throws IOException {
    home.add(program, List.of(), List.of(LOADED));
    NodeProcess node = home.node(home.nodes().size());
    home.start(node);
    awaitLoaded(node);
    return node;
  }

  private static void awaitLoaded(NodeProcess node) {
    Processes.await("loaded", BOUND, () -> node.logOfThisRun().contains("loaded " + LOADED));
  }

  private List<String> files(String end) {
    try (Stream<Path> all = Files.list(cache.directory())) {
      return all.map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(end))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isMapped(NodeProcess node, String file) throws IOException {
    Path maps = Path.of("/proc", Long.toString(node.handle().pid()), "maps");
    return Files.readString(maps).contains(file);
  }

  @Test
  void theFirstClusterWritesAnArchiveThatTheNextOneUses() throws Exception {
    start(program(jar));
    assertThat(files(".jsa")).isEmpty();

    home.close();

    assertThat(files("")).hasSize(2);
    String archive = files(".jsa").get(0);
    home = ClusterHome.create("test");
    assertThat(isMapped(start(program(jar)), archive)).isTrue();
  }

  @Test
  void anotherJarNeedsAnotherArchiveWhichReplacesTheFirst() throws Exception {
    start(program(jar));
    home.close();
    List<String> first = files(".jsa");
    Path other = Files.copy(jar, directory.resolve("other.jar"));
    Files.createFile(cache.path("org.example.Other-17-0.jsa"));
    home = ClusterHome.create("test");
    assertThat(isMapped(start(program(other)), first.get(0))).isFalse();

    home.close();

    assertThat(files(".jsa")).hasSize(2).doesNotContainAnyElementsOf(first);
  }

  @Test
  void whereItFailsAFileSaysWhyAndItIsNotTriedAgain() throws Exception {
    NodeProgram program = program(jar);
    // Without the option that has it keep what an archive needs.
    ProcessBuilder command =
        Java.command(
            List.of(),
            List.of(jar, cache.path(files(".jar").get(0))),
            WaitingMain.class.getName(),
            List.of(LOADED));
    home.add(command.directory(Files.createDirectories(home.directory(1)).toFile()));
    NodeProcess node = home.node(1);
    home.start(node);
    awaitLoaded(node);

    program.writeArchive(node);

    assertThat(files("")).hasSize(2);
    Path failed = cache.path(files(".failed").get(0));
    assertThat(failed).content().contains("RecordDynamicDumpInfo");
    Files.writeString(failed, "before");
    program.writeArchive(node);
    assertThat(failed).hasContent("before");
  }

  @Test
  void aPausedNodeIsNotAsked() throws Exception {
    start(program(jar)).pause();

    home.close();

    assertThat(files("")).hasSize(1);
  }
}
