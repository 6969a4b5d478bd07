package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.mqproof.cluster.Cluster;

/** The disks of a cluster whose power is cut, and how it is known that a cut took effect. */
final class Disks {

  /** Written to a disk right before the cut, and not synced: a cut that took effect takes it. */
  private static final String WITNESS = "not-synced";

  private static final int WITNESS_BYTES = 65_536;

  private static final int SYNC_SECONDS = 60;

  private Disks() {}

  /** Each disk once, also if nodes share it. */
  static List<Path> of(Cluster cluster) {
    return IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::disk).distinct().toList();
  }

  /** Writes everything to the disks, so that the cluster and the queue outlive a cut. */
  static void sync(Cluster cluster) throws IOException, InterruptedException {
    for (Path disk : of(cluster)) {
      Process sync = new ProcessBuilder("sync", "-f", disk.toString()).inheritIO().start();
      assertThat(sync.waitFor(SYNC_SECONDS, TimeUnit.SECONDS)).as("synced").isTrue();
      assertThat(sync.exitValue()).as("sync").isZero();
    }
  }

  static void writeWitness(Path disk) throws IOException {
    Files.write(disk.resolve(WITNESS), new byte[WITNESS_BYTES]);
  }

  /** Fails if the cut has kept what was not synced. */
  static void assertWitnessIsGone(Path disk, String name) throws IOException {
    Path witness = disk.resolve(WITNESS);
    assertThat(Files.exists(witness) ? Files.size(witness) : 0)
        .as("bytes that were not synced, on %s after the cut", name)
        .isZero();
    Files.deleteIfExists(witness);
  }
}
