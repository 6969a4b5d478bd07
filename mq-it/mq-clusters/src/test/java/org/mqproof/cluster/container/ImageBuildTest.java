package org.mqproof.cluster.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests that need an image wait for the script that makes it, and for nothing else. */
@EnabledOnOs(OS.LINUX)
class ImageBuildTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final Path directory;

  ImageBuildTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void nobodyWaitsWhereNoScriptRuns() throws IOException {
    new ImageBuild(directory.resolve("none"), LONG).awaitEnd();
    new ImageBuild(Files.createFile(directory.resolve("lock")), LONG).awaitEnd();
  }

  @Test
  void aScriptThatRunsIsAwaited() throws Exception {
    Process script = lock();
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> new ImageBuild(lockFile(), LONG).awaitEnd());

    assertThat(waiting).isNotDone();
    TimeUnit.MILLISECONDS.sleep(500); // long enough for the wait to have begun
    assertThat(waiting).isNotDone();

    script.getOutputStream().close();
    assertThat(waiting).succeedsWithin(LONG);
  }

  @Test
  void aScriptThatHangsIsAwaitedNoLongerThanTheBound() throws Exception {
    Process script = lock();
    try {
      new ImageBuild(lockFile(), Duration.ofSeconds(1)).awaitEnd();
      assertThat(script.isAlive()).isTrue();
    } finally {
      script.destroyForcibly();
    }
  }

  private Path lockFile() {
    return directory.resolve("lock");
  }

  /** Holds the lock until its standard input ends. */
  private Process lock() throws IOException {
    Process script =
        new ProcessBuilder("flock", lockFile().toString(), "sh", "-c", "echo locked; cat").start();
    assertThat(script.inputReader().readLine()).isEqualTo("locked");
    return script;
  }
}
