package org.mqproof.cluster.mongodb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.SearchPath;

/** Finds the {@code mongod} of this machine. Thread-safe: no state. */
final class MongoInstallation {

  private static final Pattern VERSION = Pattern.compile("db version v(\\S+)");
  private static final int SECONDS_TO_ANSWER = 10;

  private MongoInstallation() {}

  /**
   * Takes the program that was named, else looks on the {@code PATH}.
   *
   * @throws ClusterException if there is none; says what to do
   */
  static Path find() {
    return find(System.getProperty(MongoClusterProvider.MONGOD_PROPERTY), SearchPath.directories());
  }

  /**
   * Takes the program that was named, else looks in some directories.
   *
   * @throws ClusterException if there is none; says what to do
   */
  static Path find(@Nullable String named, List<Path> directories) {
    if (named != null) {
      Path mongod = Path.of(named);
      if (!Files.isExecutable(mongod) || Files.isDirectory(mongod)) {
        throw new ClusterException(
            "there is no program at %s, which the system property %s names"
                .formatted(named, MongoClusterProvider.MONGOD_PROPERTY));
      }
      return mongod.toAbsolutePath();
    }
    return SearchPath.executable("mongod", directories)
        .orElseThrow(
            () ->
                new ClusterException(
                    "there is no mongod on the PATH: install MongoDB, or run"
                        + " mq-it/mq-clusters/fetch-mongod, and name the program with -D"
                        + MongoClusterProvider.MONGOD_PROPERTY
                        + "=..."))
        .toAbsolutePath();
  }

  /**
   * Asks a program for its version.
   *
   * @throws ClusterException if it does not tell; says what it says
   */
  static String version(Path mongod) {
    try {
      Process process =
          new ProcessBuilder(mongod.toString(), "--version")
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      try {
        // A few lines, which fit into the pipe.
        if (!process.waitFor(SECONDS_TO_ANSWER, TimeUnit.SECONDS)) {
          throw new ClusterException(mongod + " does not tell its version");
        }
        String said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        Matcher version = VERSION.matcher(said);
        if (!version.find()) {
          throw new ClusterException(mongod + " does not tell its version, but says: " + said);
        }
        return version.group(1);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new ClusterException("cannot run " + mongod, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while asking " + mongod + " for its version", e);
    }
  }
}
