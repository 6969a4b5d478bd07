package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeFacility;

/** What a cut of the power does to a disk, with nodes that only sleep. */
class DisksIT {

  private static final int BYTES = 100_000;
  private static final int CUTS = 20;

  private ClusterHome home;

  @BeforeEach
  void make() throws IOException {
    TestCluster.require("power");
    home = ClusterHome.create("test");
    NodeFacility.of(ClusterProvider.POWER_PROPERTY).addTo(home, 3);
  }

  @AfterEach
  void nothingIsLeft() {
    if (home != null) {
      home.close();
      assertThat(Mounts.loopDevicesOf(home.directory())).isEmpty();
      assertThat(home.directory()).doesNotExist();
      assertThat(Processes.mentioning(home.directory())).isEmpty();
    }
  }

  @Test
  @DisplayName("a cut takes what was not awaited, and nothing else")
  void aCutTakesWhatWasNotAwaited() throws Exception {
    Path disk = oneNode();
    write(disk.resolve("synced"), true);
    write(disk.resolve("synced"), false); // appends
    write(disk.resolve("not-synced"), false);
    assertThat(disk.resolve("synced")).hasSize(2 * BYTES);

    home.disks().cut(List.of(1));

    assertThat(home.node(1).isAlive()).isFalse();
    assertThat(disk.resolve("synced")).hasSize(BYTES);
    assertThat(Files.readAllBytes(disk.resolve("synced"))).containsOnly('x');
    assertThat(
            Files.exists(disk.resolve("not-synced")) ? Files.size(disk.resolve("not-synced")) : 0)
        .isZero();
    assertThat(home.directory(1).resolve("data")).isEmptyDirectory(); // seen by its node alone
  }

  @Test
  @DisplayName("SIGKILL alone takes nothing")
  void killAloneTakesNothing() throws Exception {
    Path disk = oneNode();
    write(disk.resolve("not-synced"), false);

    home.node(1).kill();

    assertThat(disk.resolve("not-synced")).hasSize(BYTES);
  }

  @Test
  @DisplayName("a node starts again on its disk after a cut")
  void aNodeStartsAgain() throws Exception {
    Path disk = oneNode("echo run >>data/runs; sync data/runs; echo run >>synced; exec sleep 600");
    Path synced = home.directory(1).resolve("synced");
    awaitRuns(synced, 1);

    home.disks().cut(List.of(1));
    home.start(home.node(1));

    awaitRuns(synced, 2);
    assertThat(disk.resolve("runs")).content().isEqualTo("run\nrun\n");
  }

  private static void awaitRuns(Path synced, int runs) {
    Processes.await(
        "run " + runs,
        Duration.ofSeconds(60),
        () -> {
          try {
            return Files.exists(synced) && Files.readAllLines(synced).size() == runs;
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  @DisplayName("what a node started in a session of its own is killed with it")
  void helpersAreKilled() throws Exception {
    Path disk = oneNode("cd data && setsid sh -c 'touch helper; sleep 601' & exec sleep 600");
    Processes.await(
        "the helper", Duration.ofSeconds(60), () -> Files.exists(disk.resolve("helper")));

    home.disks().cut(List.of(1));

    assertThat(disk.resolve("helper")).doesNotExist();
  }

  @Test
  @DisplayName("a disk that stays busy gives no verdict but an error")
  void aBusyDiskIsAnError() throws Exception {
    Path disk = oneNode();
    write(disk.resolve("held"), true);
    try (InputStream held = Files.newInputStream(disk.resolve("held"))) {
      assertThat(held.read()).isEqualTo('x');
      assertThatThrownBy(() -> home.disks().cut(List.of(1)))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("could not be unmounted")
          .hasStackTraceContaining("target is busy");
    }
  }

  @Test
  @DisplayName("nodes that share a disk lose their power together, and others do not")
  void aSharedDisk() throws Exception {
    Path shared = home.directory().resolve("shared");
    home.onDisk(shared, 1, 2);
    home.onDisk(home.directory().resolve("alone"), 3);
    for (int node = 1; node <= 3; node++) {
      add(node, "exec sleep 600");
    }
    write(home.disks().seenFromHere(2).resolve("not-synced"), false);
    write(home.disks().seenFromHere(3).resolve("not-synced"), false);

    home.disks().cut(List.of(1));

    assertThat(home.node(2).isAlive()).isFalse();
    assertThat(home.node(3).isAlive()).isTrue();
    assertThat(home.disks().seenFromHere(1)).isEqualTo(home.disks().seenFromHere(2));
    Path lost = home.disks().seenFromHere(2).resolve("not-synced");
    assertThat(Files.exists(lost) ? Files.size(lost) : 0).isZero();
    assertThat(home.disks().seenFromHere(3).resolve("not-synced")).hasSize(BYTES);
  }

  @Test
  @DisplayName(CUTS + " cuts in a row leave no mount, no loop device and no process")
  void manyCutsLeaveNothing() throws Exception {
    Path disk = oneNode();
    for (int cut = 1; cut <= CUTS; cut++) {
      write(disk.resolve("synced"), true);
      write(disk.resolve("not-synced-" + cut), false);
      home.disks().cut(List.of(1));
      assertThat(disk.resolve("synced")).hasSize((long) cut * BYTES);
      home.start(home.node(1));
    }

    assertThat(Mounts.loopDevicesOf(home.directory())).hasSize(1);
    assertThat(Files.readString(Path.of("/proc/self/mounts")))
        .doesNotContain(home.directory().toString());
    // A node is not seen while it becomes its command.
    Processes.await(
        "guard, holder and node alone",
        Duration.ofSeconds(30),
        () -> Processes.mentioning(home.directory()).size() == 3);
  }

  @Test
  @DisplayName("without a disk there is nothing to cut")
  void noDiskNoCut() throws Exception {
    Path unused = oneNode();
    try (ClusterHome other = ClusterHome.create("test")) {
      assertThatThrownBy(other::disks)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("-Dmqproof.power=true");
    }
    assertThatThrownBy(() -> home.disks().requireOnePerNode(2))
        .isInstanceOf(ClusterException.class);
  }

  private Path oneNode() throws IOException {
    return oneNode("exec sleep 600");
  }

  private Path oneNode(String command) throws IOException {
    home.onDisk(home.directory(1).resolve("data"), 1);
    add(1, command);
    return home.disks().seenFromHere(1);
  }

  private void add(int node, String command) throws IOException {
    Files.createDirectories(home.directory(node));
    home.add(new ProcessBuilder("sh", "-c", command).directory(home.directory(node).toFile()));
    home.start(home.node(node));
  }

  /** Appends, and awaits the disk or not. */
  private static void write(Path file, boolean sync) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      byte[] bytes = new byte[BYTES];
      Arrays.fill(bytes, (byte) 'x');
      assertThat(channel.write(ByteBuffer.wrap(bytes))).isEqualTo(BYTES);
      if (sync) {
        channel.force(true);
      }
    }
  }
}
