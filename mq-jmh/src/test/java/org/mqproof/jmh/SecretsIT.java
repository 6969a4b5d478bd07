package org.mqproof.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Mq;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.TestCluster;
import org.mqproof.jmh.load.SettingsText;
import org.mqproof.spi.MqProvider;

/**
 * Runs on a cluster that encrypts and wants a password: no secret is in what they print and leave,
 * nor in the command line of a process that they start.
 */
@Timeout(600)
class SecretsIT {

  private static final List<String> RUN =
      List.of("-f", "1", "-wi", "1", "-w", "300ms", "-i", "1", "-r", "300ms", "FlowBenchmark");

  @SuppressWarnings("NullAway.Init") // by JUnit
  @TempDir
  Path directory;

  /** Of the system whose cluster starts fastest. */
  @Test
  void ofPostgreSqlAreShownNowhere() throws Exception {
    areShownNowhere("postgresql");
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"artemis", "kafka", "mongodb", "nats", "pulsar", "rabbitmq", "valkey"})
  void areShownNowhere(String system) throws Exception {
    try (Cluster cluster =
        TestCluster.start(
            TestCluster.runnable(system),
            Map.of(ClusterProvider.SECURITY_PROPERTY, ClusterProvider.TLS))) {
      Map<String, String> settings = new LinkedHashMap<>(cluster.settings(Access.PASSWORD));
      // For new JVMs, TLS and a busy machine.
      settings.putAll(Map.of("call.bound", "120s", "connect.bound", "30s"));
      String key = settings.containsKey("password") ? "password" : "token";
      String secret = Objects.requireNonNull(settings.get(key));
      assertThat(secret).as("long enough to be no word of anything").hasSizeGreaterThan(12);

      makeFirstQueue(system, settings);
      BenchmarksJar.Run right = run("right", system, settings, secret);
      assertThat(right.exitCode()).as(right.output()).isEqualTo(Command.PROVEN);
      Path results = directory.resolve("right").resolve("results.json");
      for (String command : List.of("lint", "report")) {
        BenchmarksJar.Run again =
            BenchmarksJar.run(directory.resolve("right"), command, results.toString());
        assertThat(again.output()).doesNotContain(secret);
      }
      hasNoneLeft("right", secret);

      String wrong = "planted-" + secret;
      settings.put(key, wrong);
      BenchmarksJar.Run refused = run("wrong", system, settings, wrong);
      assertThat(refused.exitCode()).as(refused.output()).isNotEqualTo(Command.PROVEN);
      hasNoneLeft("wrong", wrong);
    }
  }

  /** It takes long on a busy machine, and a benchmark expects a cluster that was there before. */
  private static void makeFirstQueue(String system, Map<String, String> settings) {
    try (Mq mq = MqProvider.named(system).connect(settings)) {
      mq.createQueue("first");
      mq.deleteQueue("first");
    }
  }

  private BenchmarksJar.Run run(
      String name, String system, Map<String, String> settings, String secret) throws Exception {
    Path results = Files.createDirectory(directory.resolve(name));
    Path temporary = Files.createDirectory(results.resolve("tmp"));
    List<String> args = new ArrayList<>(RUN);
    args.addAll(List.of("-p", "system=" + system, "-p", "settings=" + SettingsText.text(settings)));
    BenchmarksJar.Run run;
    CommandLines seen = new CommandLines();
    try {
      run =
          BenchmarksJar.run(
              results, List.of("-Djava.io.tmpdir=" + temporary), args.toArray(String[]::new));
    } finally {
      seen.end();
    }
    Set<String> lines = seen.ofForks();
    assertThat(run.output()).isNotEmpty().doesNotContain(secret);
    assertThat(lines).as("command lines of what it starts").noneMatch(l -> l.contains(secret));
    if (run.exitCode() == Command.PROVEN) {
      assertThat(lines).as("forks were seen").anyMatch(l -> l.contains("ForkedMain"));
    }
    return run;
  }

  private void hasNoneLeft(String name, String secret) throws IOException {
    List<Path> having = new ArrayList<>();
    try (Stream<Path> files = Files.walk(directory.resolve(name))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(secret)) {
          having.add(file);
        }
      }
    }
    assertThat(having).as("files with the secret").isEmpty();
  }

  /** Looks at the command lines of all processes below this one, again and again. */
  private static final class CommandLines {

    /** A fork lives for seconds, and one pass over all processes of a machine costs some ms. */
    private static final long POLL_INTERVAL_NANOS = 100_000_000;

    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Thread thread = new Thread(this::poll, "command-lines");

    CommandLines() {
      thread.start();
    }

    private void poll() {
      while (!Thread.currentThread().isInterrupted()) {
        try (Stream<ProcessHandle> below = ProcessHandle.current().descendants()) {
          below
              .map(process -> Path.of("/proc", String.valueOf(process.pid()), "cmdline"))
              .forEach(this::add);
        }
        LockSupport.parkNanos(POLL_INTERVAL_NANOS);
      }
    }

    private void add(Path commandLine) {
      try {
        seen.add(Files.readString(commandLine, ISO_8859_1).replace('\0', ' '));
      } catch (IOException e) {
        // it has ended
      }
    }

    /** All but the command that the test gave itself. */
    Set<String> ofForks() {
      return seen.stream()
          .filter(line -> !line.contains(" " + Main.class.getName()))
          .collect(Collectors.toSet());
    }

    void end() throws InterruptedException {
      thread.interrupt();
      thread.join();
    }
  }
}
