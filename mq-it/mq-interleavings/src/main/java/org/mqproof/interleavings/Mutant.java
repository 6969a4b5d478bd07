package org.mqproof.interleavings;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A class whose source, as it is now, was changed: a race that does not fail with it proves
 * nothing. Needs the source below {@code src/main/java} of the module under test, and a JDK.
 *
 * <p>Immutable.
 */
public final class Mutant {

  private final String fileName;
  private final String source;

  private Mutant(String fileName, String source) {
    this.fileName = fileName;
    this.source = source;
  }

  /**
   * Starts with the unchanged source.
   *
   * @param original a top-level class of the module under test
   * @return what differs in nothing yet
   */
  public static Mutant of(Class<?> original) {
    Path file = Path.of("src", "main", "java", original.getName().replace('.', '/') + ".java");
    try {
      return new Mutant(original.getSimpleName() + ".java", Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Changes the source.
   *
   * @param text a part that occurs once; any white space stands for any other
   * @param by what replaces it
   * @return the changed mutant
   * @throws IllegalArgumentException if the part does not occur exactly once, as when the class has
   *     changed: then the mutant needs a change too
   */
  public Mutant replace(String text, String by) {
    Pattern pattern =
        Pattern.compile(
            Stream.of(text.strip().split("\\s+", -1))
                .map(Pattern::quote)
                .collect(Collectors.joining("\\s+")));
    long found = pattern.matcher(source).results().count();
    if (found != 1) {
      throw new IllegalArgumentException(
          "%s has this %d times, not once: %s".formatted(fileName, found, text));
    }
    return new Mutant(fileName, pattern.matcher(source).replaceFirst(Matcher.quoteReplacement(by)));
  }

  /** Writes the class files below a directory. */
  void compileInto(Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve(fileName), source);
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                messages,
                messages,
                "-g",
                "-proc:none",
                "-nowarn",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                file.toString());
    if (failed != 0) {
      throw new IllegalArgumentException(
          "does not compile: " + messages.toString(StandardCharsets.UTF_8));
    }
  }
}
