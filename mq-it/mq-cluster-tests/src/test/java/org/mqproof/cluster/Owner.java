package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.mqproof.cluster.process.Java;

/** A child JVM that runs {@link OwnerMain}, seen from the test. For one thread. */
final class Owner implements AutoCloseable {

  /** Stands for nodes that only sleep. */
  static final String SLEEPING = "sleeping";

  private static final Duration START_BOUND = Duration.ofSeconds(150);
  private static final Duration END_BOUND = Duration.ofSeconds(60);

  final Path directory;
  final List<ProcessHandle> processes = new ArrayList<>();
  final List<String> links = new ArrayList<>();
  private final Process process;

  /** Starts the owner and waits until its cluster is ready; skips the test where none can run. */
  Owner(String system, String end) throws Exception {
    if (!system.equals(SLEEPING)) {
      ClusterProvider unused = TestCluster.runnable(system);
    }
    process =
        Java.command(
                options(),
                List.of(Path.of(System.getProperty("java.class.path"))),
                OwnerMain.class.getName(),
                List.of(system, end))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> lines;
    try {
      lines =
          CompletableFuture.supplyAsync(this::linesUntilReady)
              .get(START_BOUND.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      process.destroy();
      throw e;
    }
    assertThat(lines).endsWith("ready");
    directory = Path.of(value(lines.get(0)));
    for (String line : lines.subList(1, lines.size() - 1)) {
      if (line.startsWith("link ")) {
        links.add(value(line));
      } else {
        processes.add(ProcessHandle.of(Long.parseLong(value(line))).orElseThrow());
      }
    }
    assertThat(links).allMatch(Owner::isThere);
    assertThat(processes).allMatch(child -> !Processes.isDead(child));
    assertThat(directory).isDirectory();
  }

  /** With the properties that say where programs are, as this JVM was given them. */
  private static List<String> options() {
    List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("mqproof."))
        .forEach(name -> options.add("-D" + name + "=" + System.getProperty(name)));
    return options;
  }

  private List<String> linesUntilReady() {
    List<String> lines = new ArrayList<>();
    try {
      BufferedReader output = process.inputReader();
      String line = output.readLine();
      while (line != null) {
        lines.add(line);
        line = line.equals("ready") ? null : output.readLine();
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String value(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }

  /** Sends a signal, for example {@code "INT"}, and waits until nothing of the cluster is left. */
  void endBy(String signal) throws Exception {
    long signalledAt = System.nanoTime();
    signal(signal);
    awaitEnd();
    awaitNothingLeft();
    System.out.printf(
        "%s: nothing left %d ms after SIG%s%n",
        directory.getFileName(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - signalledAt),
        signal);
  }

  /** Skips the test where no child can get the signal. */
  private void signal(String name) throws Exception {
    assumeFalse(
        Processes.ignores(process.toHandle(), name),
        "this build was started with SIG"
            + name
            + " ignored, as nohup and background jobs are, and so are its children: run it in the"
            + " foreground");
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Makes its main method throw. */
  void crash() throws IOException {
    try (OutputStream input = process.getOutputStream()) {
      input.write('\n');
    }
  }

  void awaitEnd() throws Exception {
    assertThat(process.waitFor(15, TimeUnit.SECONDS)).as("the owner has ended").isTrue();
  }

  /** Waits until nothing of the cluster is left. */
  void awaitNothingLeft() {
    Processes.await(
        "no process left of " + processes,
        END_BOUND,
        () -> processes.stream().allMatch(Processes::isDead));
    Processes.await(
        "no process left that has to do with " + directory,
        END_BOUND,
        () -> Processes.mentioning(directory).isEmpty());
    Processes.await(
        "no link left of " + links, END_BOUND, () -> links.stream().noneMatch(Owner::isThere));
    Processes.await(
        "no container and no network left of " + directory,
        END_BOUND,
        () -> DockerThings.of(directory).isEmpty());
    Processes.await(
        "no loop device left of " + directory,
        END_BOUND,
        () -> Mounts.loopDevicesOf(directory).isEmpty());
    Processes.await(directory + " deleted", END_BOUND, () -> !Files.exists(directory));
  }

  private static boolean isThere(String link) {
    try {
      return NetworkInterface.getByName(link) != null;
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
