package org.mqproof.cluster.disk;

import java.util.List;
import java.util.Optional;
import org.mqproof.cluster.ClusterProvider;

/** What a disk is formatted with. */
enum FileSystem {
  /** Nothing is written in the background later. */
  EXT4(16, true, "mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=1"),
  /** {@code mkfs.xfs} refuses less than 300 MiB. */
  XFS(320, false, "mkfs.xfs -q -f");

  /** The smallest that can be made, to try it. */
  final int leastMegabytes;

  /** Whether a new one has a directory in it, which brokers take for data of theirs. */
  final boolean lostAndFound;

  private final String format;

  FileSystem(int leastMegabytes, boolean lostAndFound, String format) {
    this.leastMegabytes = leastMegabytes;
    this.lostAndFound = lostAndFound;
    this.format = format;
  }

  /**
   * Which one the user allows to be made.
   *
   * @return empty if none
   * @throws IllegalArgumentException if there is no such file system
   */
  static Optional<FileSystem> allowed() {
    String value = System.getProperty(ClusterProvider.DISKS_PROPERTY, "false");
    return switch (value) {
      case "false" -> Optional.empty();
      case "true", "ext4" -> Optional.of(EXT4);
      case "xfs" -> Optional.of(XFS);
      default ->
          throw new IllegalArgumentException(
              "%s is %s, and must be true, ext4, xfs or false"
                  .formatted(ClusterProvider.DISKS_PROPERTY, value));
    };
  }

  /**
   * The command that makes it.
   *
   * @return what comes before the name of the file
   */
  List<String> format() {
    return List.of(format.split(" "));
  }
}
