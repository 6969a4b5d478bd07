package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.cluster.Cluster;

/** Planted leaks: each must be seen, by its own name. The node is this JVM too. */
@EnabledOnOs(OS.LINUX) // it reads /proc
class VitalsIT {

  private static final int SAMPLES = 12;

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path directory;

  private final List<Object> kept = new ArrayList<>();
  private final List<Closeable> open = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);

  private interface Leak {
    void leak() throws Exception;
  }

  @BeforeEach
  void measureOnce() throws Exception {
    Vitals unused = Vitals.now(new ThisJvm(directory)); // loads what measuring itself takes
  }

  @AfterEach
  void endLeaks() throws IOException {
    end.countDown();
    for (Closeable each : open) {
      each.close();
    }
  }

  @Test
  void withoutALeakNothingGrows() throws Exception {
    assertThat(growing(() -> {})).isEmpty();
  }

  @Test
  void threads() throws Exception {
    assertThat(
            growing(
                () -> {
                  for (int i = 0; i < 20; i++) { // the JVM's own come and go
                    leakThread();
                  }
                }))
        .anyMatch(line -> line.startsWith("threads of the client: "))
        .anyMatch(line -> line.startsWith("threads of the nodes: "));
  }

  private void leakThread() {
    Thread thread =
        new Thread(
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void heap() throws Exception {
    assertThat(growing(() -> kept.add(new byte[16 << 20])))
        .anyMatch(line -> line.startsWith("heap of the client after a collection, KiB: "))
        .anyMatch(line -> line.startsWith("memory of the nodes, KiB: "));
  }

  @Test
  void connections() throws Exception {
    ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    open.add(server);
    assertThat(
            growing(
                () -> {
                  for (int i = 0; i < 4; i++) {
                    open.add(new Socket(server.getInetAddress(), server.getLocalPort()));
                  }
                }))
        .anyMatch(line -> line.startsWith("sockets of the client: "))
        .anyMatch(line -> line.startsWith("sockets of the nodes: "));
  }

  @Test
  void files() throws Exception {
    Path file = Files.createFile(directory.resolve("open"));
    assertThat(growing(() -> open.add(Files.newInputStream(file))))
        .anyMatch(line -> line.startsWith("open files of the client: "));
  }

  @Test
  void disk() throws Exception {
    assertThat(
            growing(
                () -> Files.write(Files.createTempFile(directory, "log", ""), new byte[12 << 20])))
        .anyMatch(line -> line.startsWith("disk of the nodes, KiB: "));
  }

  @Test
  void whatOnlyWarmsUpOrJumpsOnceIsFlat() {
    assertThat(Vitals.growing(threads(10, 20, 30, 40, 40, 40, 41, 40, 41))).isEmpty();
    assertThat(Vitals.growing(threads(10, 10, 10, 10, 10, 10, 10, 90, 10))).isEmpty();
    assertThat(Vitals.growing(threads(10, 10, 10, 11, 12, 13, 14, 15, 16))).isEmpty();
    assertThat(Vitals.growing(threads(10, 10, 10, 11, 13, 14, 15, 17, 18)))
        .containsExactly(
            "threads of the client: 13 in the second third, 17 in the last, and 16 is the most");
  }

  @Test
  void tooFewSamplesProveNothing() {
    assertThatThrownBy(() -> Vitals.growing(threads(1, 1, 1, 1, 1, 1, 1, 1)))
        .hasMessageContaining("let it run longer, -Dmqproof.soak.minutes=N");
  }

  private static List<Vitals> threads(int... counts) {
    List<Vitals> samples = new ArrayList<>();
    for (int count : counts) {
      samples.add(new Vitals(new EnumMap<>(Map.of(Vital.CLIENT_THREADS, (long) count))));
    }
    return samples;
  }

  private List<String> growing(Leak leak) throws Exception {
    List<Vitals> samples = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      leak.leak();
      samples.add(Vitals.now(new ThisJvm(directory)));
    }
    return Vitals.growing(samples);
  }

  /** A cluster of one node, which is this process. */
  private record ThisJvm(Path directory) implements Cluster {

    @Override
    public String system() {
      return "none";
    }

    @Override
    public String version() {
      return "0";
    }

    @Override
    public Map<String, String> settings() {
      return Map.of();
    }

    @Override
    public int nodes() {
      return 1;
    }

    @Override
    public ProcessHandle process(int node) {
      return ProcessHandle.current();
    }

    @Override
    public int leader(String queue) {
      return 1;
    }

    @Override
    public void kill(int node) {}

    @Override
    public void killAll() {}

    @Override
    public void pause(int node) {}

    @Override
    public void resume(int node) {}

    @Override
    public void restart(int node) {}

    @Override
    public void heal() {}

    @Override
    public void close() {}
  }
}
