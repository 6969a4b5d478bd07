package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DisksTest {

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  Path sys;

  @Test
  void aDiskIsNamedWithItsSize() throws IOException {
    device("nvme0n1", "1953525168", "0");
    Files.writeString(
        Files.createDirectories(sys.resolve("nvme0n1/device")).resolve("model"), "Fast 1TB  \n");
    device("sda", "200000000", "1");
    device("loop0", "8", "1");
    device("sdb", "0", "1");

    assertThat(Disks.of(sys, sys))
        .hasSize(3)
        .contains(
            "nvme0n1: 1,000 GB, solid state, or said to be, Fast 1TB",
            "sda: 102 GB, rotating, or said to be");
  }

  @Test
  void whereTheKernelDoesNotTellTheFileSystemIsAll() {
    assertThat(Disks.of(sys.resolve("none"), sys))
        .singleElement()
        .asString()
        .startsWith("temporary files");
  }

  private void device(String name, String sectors, String rotational) throws IOException {
    Path device =
        Files.createDirectories(sys.resolve(name).resolve("queue")).resolveSibling("size");
    Files.writeString(device, sectors + "\n");
    Files.writeString(sys.resolve(name).resolve("queue").resolve("rotational"), rotational + "\n");
  }
}
