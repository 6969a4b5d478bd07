package org.mqproof.cluster.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where this machine's programs are. Thread-safe: no state. */
public final class SearchPath {

  /** Where a package puts daemons, which is not on everybody's path. */
  private static final List<Path> SYSTEM_DIRECTORIES =
      List.of(Path.of("/usr/local/sbin"), Path.of("/usr/sbin"));

  private SearchPath() {}

  /**
   * The directories of the {@code PATH}, and then those for daemons.
   *
   * @return in the order in which to look
   */
  public static List<Path> directories() {
    List<Path> directories = new ArrayList<>();
    for (String directory :
        Objects.requireNonNullElse(System.getenv("PATH"), "")
            .split(Pattern.quote(System.getProperty("path.separator")), -1)) {
      if (!directory.isEmpty()) {
        directories.add(Path.of(directory));
      }
    }
    directories.addAll(SYSTEM_DIRECTORIES);
    return directories;
  }

  /**
   * The first program of that name.
   *
   * @param name of the file
   * @param directories in the order in which to look
   * @return empty if there is none
   */
  public static Optional<Path> executable(String name, List<Path> directories) {
    return directories.stream()
        .map(directory -> directory.resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
