package org.mqproof.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What tests want to know of disks. Thread-safe: no state. */
final class Mounts {

  private Mounts() {}

  /** The loop devices of this machine whose files are, or were, in a directory. */
  static List<Path> loopDevicesOf(Path directory) {
    Path devices = Path.of("/sys/block");
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(devices)) {
      return found; // not Linux
    }
    try (DirectoryStream<Path> loops = Files.newDirectoryStream(devices, "loop*")) {
      for (Path loop : loops) {
        if (backingFile(loop).startsWith(directory + "/")) {
          found.add(loop);
        }
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String backingFile(Path loop) {
    try {
      return Files.readString(loop.resolve("loop/backing_file"));
    } catch (IOException free) {
      return "";
    }
  }
}
