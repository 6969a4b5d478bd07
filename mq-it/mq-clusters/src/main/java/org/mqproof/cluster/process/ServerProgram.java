package org.mqproof.cluster.process;

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

/**
 * A server that is one program, which this machine has or {@code fetch-server} fetches. Immutable.
 *
 * @param name of the program
 * @param product whose server it is, for messages
 * @param property the system property that names one
 * @param version finds the version in what it says of itself
 */
public record ServerProgram(String name, String product, String property, Pattern version) {

  private static final int SECONDS_TO_ANSWER = 60;

  /**
   * Takes the program that was named, else looks on the {@code PATH}.
   *
   * @return an absolute path
   * @throws ClusterException if there is none; says what to do
   */
  public Path find() {
    return find(System.getProperty(property), SearchPath.directories());
  }

  /**
   * Takes the program that was named, else looks in some directories.
   *
   * @param named a path, or null
   * @param directories in the order in which to look
   * @return an absolute path
   * @throws ClusterException if there is none; says what to do
   */
  public Path find(@Nullable String named, List<Path> directories) {
    if (named != null) {
      Path program = Path.of(named);
      if (!Files.isExecutable(program) || Files.isDirectory(program)) {
        throw new ClusterException(
            "there is no program at %s, which the system property %s names"
                .formatted(named, property));
      }
      return program.toAbsolutePath();
    }
    return SearchPath.executable(name, directories)
        .orElseThrow(
            () ->
                new ClusterException(
                    ("there is no %1$s on the PATH: install %2$s, or run"
                            + " mq-it/mq-clusters/fetch-server %1$s, and name the program with"
                            + " -D%3$s=...")
                        .formatted(name, product, property)))
        .toAbsolutePath();
  }

  /**
   * Asks a program for its version.
   *
   * @param program of this kind
   * @return for example {@code "6.0.5"}
   * @throws ClusterException if it does not tell; says what it says
   */
  public String versionOf(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "--version")
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      try {
        // A few lines, which fit into the pipe.
        if (!process.waitFor(SECONDS_TO_ANSWER, TimeUnit.SECONDS)) {
          throw new ClusterException(program + " does not tell its version");
        }
        String said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        Matcher found = version.matcher(said);
        if (!found.find()) {
          throw new ClusterException(program + " does not tell its version, but says: " + said);
        }
        return found.group(1);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new ClusterException("cannot run " + program, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while asking " + program + " for its version", e);
    }
  }
}
