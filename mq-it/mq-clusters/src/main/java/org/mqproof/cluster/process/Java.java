package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
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

  /** The class file of a top-level class of this library, wherever that is packed. */
  static byte[] classFile(String name) throws IOException {
    ClassLoader loader = Objects.requireNonNull(Java.class.getClassLoader());
    try (InputStream in = loader.getResourceAsStream(pathOf(name))) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  /** Where a class path has the file of a class. */
  static String pathOf(String name) {
    return name.replace('.', '/') + ".class";
  }
}
