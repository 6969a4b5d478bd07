package org.mqproof.cluster.postgresql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.Commands;

/**
 * How programs run that refuse to do so as root: as the user whom every system has for that, where
 * we are root, else as we are. Thread-safe: no state.
 */
final class Root {

  private static final String NOBODY = "nobody";

  /** A container may be root and not be allowed to. */
  private static final boolean HAS_IPC_NAMESPACES = isUser() && makesIpcNamespaces();

  private Root() {}

  private static boolean makesIpcNamespaces() {
    try {
      Commands.run(List.of("unshare", "--ipc", "true"), "");
      return true;
    } catch (ClusterException e) {
      return false;
    }
  }

  static boolean isUser() {
    return System.getProperty("user.name").equals("root");
  }

  /**
   * A command without the rights of root, and with an IPC namespace of its own where one can be
   * made: what it leaves in shared memory when it is killed goes with it. Who is not root gets the
   * command as it is.
   */
  static List<String> givenUp(List<String> command) {
    if (!isUser()) {
      return command;
    }
    List<String> unprivileged = new ArrayList<>();
    if (HAS_IPC_NAMESPACES) {
      unprivileged.addAll(List.of("unshare", "--ipc"));
    }
    unprivileged.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=65534", "--clear-groups"));
    unprivileged.addAll(command);
    return unprivileged;
  }

  /** Lets such a program come through a directory, in which it sees what it knows the name of. */
  static void open(Path directory) throws IOException {
    if (isUser()) {
      Path unused =
          Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    }
  }

  /** Makes a file or directory such a program's own, for nobody else to see. */
  static void handOver(Path file) throws IOException {
    Path unused =
        Files.setPosixFilePermissions(
            file,
            PosixFilePermissions.fromString(Files.isDirectory(file) ? "rwx------" : "rw-------"));
    if (isUser()) {
      unused =
          Files.setOwner(
              file,
              file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY));
    }
  }
}
