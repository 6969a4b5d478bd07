package org.mqproof.jmh.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Ledger;

/** Where trials leave their histories, if they are to leave any. Stateless, thread-safe. */
public final class TrialHistory {

  static final String PROPERTY = "mqproof.history";

  private TrialHistory() {}

  /**
   * Options for a fork's JVM, and the directory that they name.
   *
   * @throws IOException if there cannot be such a directory
   */
  public static List<String> jvmArgs() throws IOException {
    Path directory = directory();
    return directory == null
        ? List.of()
        : List.of("-D" + PROPERTY + "=" + Files.createDirectories(directory));
  }

  /**
   * A ledger for a trial, with a history if one is wanted.
   *
   * @throws IOException if it cannot be written
   */
  static Ledger ledger(String trial) throws IOException {
    Path directory = directory();
    return directory == null ? new Ledger() : Ledger.recordedIn(directory, trial);
  }

  private static @Nullable Path directory() {
    String text = System.getProperty(PROPERTY, "");
    return text.isEmpty() ? null : Path.of(text).toAbsolutePath();
  }
}
