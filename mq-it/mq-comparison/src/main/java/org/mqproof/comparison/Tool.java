package org.mqproof.comparison;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.mqproof.cluster.process.MavenClassPath;

/** A vendor's own tool, in a JVM of its own with the default options. */
public final class Tool {

  private static final Duration BOUND_TO_END = Duration.ofMinutes(1);
  private static final Pattern COLLECTION = Pattern.compile("(\\d+)M->(\\d+)M\\(\\d+M\\)");

  private final Process process;
  private final List<Line> lines = new ArrayList<>();
  private long allocatedMegabytes;
  private long keptMegabytes;
  private long collectedNanos;

  /**
   * A line that a tool printed.
   *
   * @param text without its end
   * @param usage what the tool's process had used when the line came
   */
  public record Line(String text, Usage usage) {}

  private Tool(Process process) {
    this.process = process;
    collectedNanos = System.nanoTime();
  }

  /**
   * Runs a tool from its Maven artifact to its end.
   *
   * @param name for messages
   * @param artifacts each as {@code group:artifact:version}
   * @param excluded what to leave out, each as {@code group:artifact}
   * @param mainClass of the tool
   * @param arguments of the tool
   * @return what it printed on either stream
   * @throws IOException if it failed; says what it printed
   * @throws InterruptedException if interrupted; the tool is killed
   */
  public static List<Line> run(
      String name,
      List<String> artifacts,
      List<String> excluded,
      String mainClass,
      List<String> arguments)
      throws IOException, InterruptedException {
    String classPath =
        MavenClassPath.resolve(name, artifacts, excluded, System.err::println).stream()
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    return run(name, classPath, mainClass, arguments);
  }

  /**
   * Runs a tool that is installed already to its end.
   *
   * @param name for messages
   * @param classPath of the tool
   * @param mainClass of the tool
   * @param arguments of the tool
   * @return what it printed on either stream
   * @throws IOException if it failed; says what it printed
   * @throws InterruptedException if interrupted; the tool is killed
   */
  public static List<Line> run(
      String name, String classPath, String mainClass, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(List.of("-Xlog:gc", "-cp", classPath, mainClass));
    options.addAll(arguments);
    try (ChildJvm jvm = new ChildJvm(options, false)) {
      Tool tool = new Tool(jvm.process());
      jvm.readLines(tool::add);
      if (!jvm.succeeds(BOUND_TO_END)) {
        throw new IOException(
            name
                + " failed: "
                + tool.lines.stream().map(Line::text).collect(Collectors.joining("\n")));
      }
      return tool.lines;
    }
  }

  private void add(String text) {
    Matcher collection = COLLECTION.matcher(text);
    if (text.contains("[gc") && collection.find()) {
      allocatedMegabytes += Long.parseLong(collection.group(1)) - keptMegabytes;
      keptMegabytes = Long.parseLong(collection.group(2));
      collectedNanos = System.nanoTime();
      return;
    }
    if (text.contains("[gc")) {
      return;
    }
    long cpuNanos = process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    lines.add(
        new Line(
            text,
            new Usage(System.nanoTime(), cpuNanos, allocatedMegabytes << 20, collectedNanos)));
  }
}
