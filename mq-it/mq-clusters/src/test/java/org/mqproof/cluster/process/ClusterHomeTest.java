package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterException;

/** The life of a cluster's processes and files, with nodes that only sleep. */
class ClusterHomeTest {

  private ClusterHome home;
  private NodeProcess node;

  @BeforeEach
  void startOneNode() throws IOException {
    home = ClusterHome.create("test");
    node = addNode("sleep", "600");
    home.start(node);
  }

  private NodeProcess addNode(String... command) throws IOException {
    int number = home.nodes().size() + 1;
    Files.createDirectories(home.directory(number));
    home.add(new ProcessBuilder(command));
    return home.node(number);
  }

  @AfterEach
  void close() {
    home.close();
  }

  @Test
  void closeLeavesNoProcessAndNoFile() throws IOException {
    ProcessHandle process = node.handle();
    ProcessHandle guard = home.guard();
    Files.writeString(home.directory(1).resolve("data"), "x");
    assertThat(process.isAlive()).isTrue();
    assertThat(guard.isAlive()).isTrue();

    home.close();

    assertThat(process.isAlive()).isFalse();
    assertThat(guard.isAlive()).isFalse();
    assertThat(home.directory()).doesNotExist();
  }

  @Test
  void closeKillsAPausedNodeToo() {
    node.pause();

    home.close();

    assertThat(node.isAlive()).isFalse();
  }

  @Test
  void closeDoesNotFollowLinksOutOfTheDirectory() throws IOException {
    Path outside = Files.createTempDirectory("mqproof-outside-");
    Path kept = Files.writeString(outside.resolve("kept"), "x");
    Files.createSymbolicLink(home.directory(1).resolve("link"), outside);

    home.close();

    assertThat(kept).exists();
    Files.delete(kept);
    Files.delete(outside);
  }

  @Test
  void nothingStartsAfterClose() {
    home.close();
    home.close();

    assertThatThrownBy(() -> home.start(node))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
    assertThatThrownBy(home::pauseBetweenLooks).hasMessage("the cluster is closed");
  }

  @Test
  void withoutNetworksThereIsNothingToMend() {
    assertThatCode(home::healNetwork).doesNotThrowAnyException();
    assertThat(home.reachable()).containsExactly(1);
  }

  @Test
  void killTakesEffectOnceAndTheNodeCanBeStartedAgain() {
    ProcessHandle first = node.handle();

    node.kill();

    assertThat(first.isAlive()).isFalse();
    assertThatThrownBy(node::kill)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("node 1 is dead already");
    home.start(node);
    assertThat(node.handle().pid()).isNotEqualTo(first.pid());
    assertThat(node.isAlive()).isTrue();
    assertThatThrownBy(() -> home.start(node)).hasMessage("node 1 is not dead");
  }

  @Test
  void pauseStopsAndResumeContinues() {
    assertThatThrownBy(node::resume).hasMessage("node 1 is not paused");

    node.pause();
    assertThat(Processes.state(node.handle())).isEqualTo('T');
    assertThatThrownBy(node::pause).hasMessage("node 1 is paused");
    node.resume();
    awaitState('S');

    assertThat(node.isAlive()).isTrue();
    node.kill();
    assertThatThrownBy(node::pause).hasMessage("node 1 is dead");
  }

  /** The node gets the processor rarely, and so hears late of the signal. */
  @Test
  void aNodeIsPausedWhenPauseReturns() throws Exception {
    AtomicBoolean busy = new AtomicBoolean(true);
    List<Thread> others =
        Stream.generate(
                () ->
                    new Thread(
                        () -> {
                          while (busy.get()) {
                            Thread.onSpinWait();
                          }
                        }))
            .limit(2L * Runtime.getRuntime().availableProcessors())
            .toList();
    NodeProcess slow = addNode("nice", "-n", "19", "sh", "-c", "while :; do :; done");
    home.start(slow);
    others.forEach(Thread::start);
    try {
      for (int i = 0; i < 10; i++) {
        slow.pause();
        assertThat(Processes.state(slow.handle())).isEqualTo('T');
        slow.resume();
      }
    } finally {
      busy.set(false);
      for (Thread other : others) {
        other.join();
      }
    }
  }

  @Test
  void aPausedNodeCanBeKilledAndIsNotPausedWhenItIsBack() {
    node.pause();
    node.kill();
    home.start(node);

    node.pause();

    awaitState('T');
  }

  private void awaitState(char state) {
    Processes.await(
        "state " + state, Duration.ofSeconds(30), () -> Processes.state(node.handle()) == state);
  }

  @Test
  void theEndOfANodesLogIsKept() throws IOException {
    NodeProcess talker = addNode("sh", "-c", "read go; echo first; echo last");
    home.start(talker);
    Processes.await("end", Duration.ofSeconds(30), () -> !talker.isAlive());

    assertThat(talker.lastLogLines()).isEqualTo("first\nlast");
    assertThat(talker.lastLogLines(line -> !line.equals("last"))).isEqualTo("first");
  }

  @Test
  void whyANodeEndedIsShownAlsoIfMuchFollows() throws IOException {
    NodeProcess talker =
        addNode(
            "sh",
            "-c",
            "read go; echo first; echo 7 ERROR why; for i in $(seq 30); do echo closed $i; done");
    home.start(talker);
    Processes.await("end", Duration.ofSeconds(30), () -> !talker.isAlive());

    assertThat(talker.lastLogLines().lines().toList())
        .hasSize(21)
        .startsWith("7 ERROR why", "closed 11")
        .endsWith("closed 30");
  }

  @Test
  void aCommandThatDoesNotExistIsAnError() throws IOException {
    NodeProcess absent = addNode("/no/such/program");

    assertThatThrownBy(() -> home.start(absent))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot start node 2");
  }

  @Test
  void aNodeThatCannotBeWatchedIsNotStarted() {
    node.kill();
    home.guard().destroyForcibly();
    Processes.await("end", Duration.ofSeconds(30), () -> !home.guard().isAlive());

    assertThatThrownBy(() -> home.start(node)).isInstanceOf(ClusterException.class);

    assertThat(node.isAlive()).isFalse();
  }

  @Test
  void nothingIsLeftOfAHomeWhoseGuardCannotStart() throws IOException {
    String java = System.setProperty("java.home", "/no/such/java");
    try {
      assertThatThrownBy(() -> ClusterHome.create("unguarded"))
          .isInstanceOf(ClusterException.class)
          .hasMessage("cannot make a home for a cluster of unguarded");
    } finally {
      System.setProperty("java.home", java);
    }

    try (Stream<Path> files = Files.list(home.directory().resolveSibling("."))) {
      assertThat(files.map(Path::getFileName).map(Path::toString))
          .noneMatch(name -> name.startsWith("mqproof-unguarded-"));
    }
  }

  @Test
  void onlyTheNodesThatThereAreCanBeNamed() {
    assertThatThrownBy(() -> home.node(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("node must be 1 to 1, was 0");
    assertThatThrownBy(() -> home.node(2)).hasMessage("node must be 1 to 1, was 2");
  }
}
