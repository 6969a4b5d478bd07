package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code mq-lint} compiles the sources of every module, also of one that is added later. */
class LintedSourcesTest {

  private static final Path LINT = Path.of("..", "mq-it", "mq-lint");

  @Test
  void theSourcesOfEachModuleAreLinted() throws IOException {
    List<Path> all = new ArrayList<>();
    for (String module : found("<module>(.*)</module>", Path.of("..", "pom.xml"))) {
      for (String sources : List.of("main", "test")) {
        Path directory = Path.of("..", module, "src", sources, "java");
        if (Files.isDirectory(directory)) {
          all.add(directory.toRealPath());
        }
      }
    }
    List<Path> linted = new ArrayList<>();
    for (String source : found("<source>(.*)</source>", LINT.resolve("pom.xml"))) {
      linted.add(LINT.resolve(source).toRealPath());
    }
    assertThat(linted).containsExactlyInAnyOrderElementsOf(all);
  }

  private static List<String> found(String pattern, Path file) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
    return matcher.results().map(result -> result.group(1)).toList();
  }
}
