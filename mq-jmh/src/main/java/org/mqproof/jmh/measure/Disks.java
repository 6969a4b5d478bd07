package org.mqproof.jmh.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Names the disks of a machine, as far as Linux tells. Stateless, thread-safe. */
final class Disks {

  /** What the kernel counts a device's size in, whatever its own sectors are. */
  private static final long SECTOR_BYTES = 512;

  private Disks() {}

  /**
   * One line per disk, and one for the file system that brokers started here write to.
   *
   * @param devices {@code /sys/block}; where there is none, nothing is said of disks
   * @param temporary directory for temporary files
   */
  static List<String> of(Path devices, Path temporary) {
    List<String> disks = new ArrayList<>();
    if (Files.isDirectory(devices)) {
      try (Stream<Path> all = Files.list(devices)) {
        for (Path device : all.sorted().toList()) {
          String name = String.valueOf(device.getFileName());
          long bytes = Long.parseLong(read(device.resolve("size"), "0")) * SECTOR_BYTES;
          if (bytes > 0 && !name.matches("(loop|ram|zram|sr|fd)\\d+")) {
            String kind =
                read(device.resolve("queue").resolve("rotational"), "?").equals("1")
                    ? "rotating, or said to be"
                    : "solid state, or said to be";
            String model = read(device.resolve("device").resolve("model"), "");
            disks.add(
                "%s: %,d GB, %s%s"
                    .formatted(
                        name, bytes / 1_000_000_000, kind, model.isEmpty() ? "" : ", " + model));
          }
        }
      } catch (IOException | NumberFormatException e) {
        disks.add("unknown"); // no reason to lose a measurement
      }
    }
    try {
      disks.add(
          "temporary files, and what brokers started here write, on "
              + Files.getFileStore(temporary).type());
    } catch (IOException e) {
      disks.add("file system unknown");
    }
    return disks;
  }

  private static String read(Path file, String otherwise) throws IOException {
    return Files.isReadable(file) ? Files.readString(file).strip() : otherwise;
  }
}
