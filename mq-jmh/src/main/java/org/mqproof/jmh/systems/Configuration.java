package org.mqproof.jmh.systems;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a broker was configured with, as the files say that it was started from: fit to be
 * published, so without secrets and without a path of the machine. Stateless, thread-safe.
 */
final class Configuration {

  /** A line that is left out, with whatever follows the word. */
  private static final Pattern SECRET =
      Pattern.compile("(?i).*(pass|secret|token|credential|jaas|key_?file|cookie).*");

  private static final List<String> SUFFIXES =
      List.of(".properties", ".xml", ".conf", ".config", ".cfg");

  private static final long MOST_BYTES = 1 << 20;

  private Configuration() {}

  /**
   * The configuration of one node.
   *
   * @param directory of the cluster; its path is left out
   * @param node directory of the node, whose own files are read, and nothing below
   * @return text by the file's name
   */
  static Map<String, String> of(Path directory, Path node) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(node)) {
      for (Path file : all.filter(Configuration::isConfiguration).toList()) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        files.put(
            String.valueOf(file.getFileName()),
            text.replace(directory.toString(), "(directory)")
                .lines()
                .map(line -> SECRET.matcher(line).matches() ? "(a line that is not shown)" : line)
                .collect(Collectors.joining("\n")));
      }
    }
    return files;
  }

  private static boolean isConfiguration(Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    try {
      return SUFFIXES.stream().anyMatch(name::endsWith)
          && Files.isRegularFile(file)
          && Files.size(file) <= MOST_BYTES;
    } catch (IOException e) {
      return false; // gone meanwhile, so nothing that a broker runs with
    }
  }
}
