package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Command lines for child JVMs. Thread-safe: no state. */
public final class Java {

  private Java() {}

  /**
   * A child JVM of the same installation as this one. Variables that would add options or classes
   * to it are taken out of its environment.
   *
   * @param options options of the JVM
   * @param classPath jars and directories
   * @param mainClass the main class
   * @param arguments arguments of the main class
   * @return to be given a directory
   */
  public static ProcessBuilder command(
      List<String> options, List<Path> classPath, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(
        classPath.stream()
            .map(Path::toString)
            .collect(Collectors.joining(System.getProperty("path.separator"))));
    command.add(mainClass);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeAll(List.of("CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return builder;
  }

  /**
   * Options of every node, whatever the system: nothing is left when it is killed, and its log goes
   * to its standard error stream through slf4j-simple.
   *
   * @param temporary a directory that goes with the cluster: native libraries are unpacked there
   * @return options of the JVM
   */
  public static List<String> nodeOptions(Path temporary) {
    return List.of(
        "-XX:-UsePerfData", // its file would outlive SIGKILL
        "-Djava.awt.headless=true",
        "-Djava.io.tmpdir=" + temporary,
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");
  }

  /**
   * Copies class files out of wherever this library is packed, so that a child JVM sees these
   * classes and nothing else of this JVM's class path.
   *
   * @param to a directory, made if it is not there
   * @param names of top-level classes without nested ones; names, because what they extend need not
   *     be on this JVM's class path
   * @return {@code to}, as a class path
   * @throws IOException if one cannot be written
   */
  public static Path copyClasses(Path to, String... names) throws IOException {
    ClassLoader loader = Objects.requireNonNull(Java.class.getClassLoader());
    for (String type : names) {
      String name = type.replace('.', '/') + ".class";
      Path file = to.resolve(name);
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      try (InputStream in = loader.getResourceAsStream(name)) {
        Files.copy(Objects.requireNonNull(in, name), file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return to;
  }
}
