package org.mqproof.jmh.systems;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Makes jars of adapters that are on nobody's class path. Stateless, thread-safe. */
public final class AdapterJar {

  private AdapterJar() {}

  /** The reference queue under another name. */
  public static String provider(String className, String system) {
    return """
    package com.example;
    import java.util.List;
    import java.util.Map;
    import org.mqproof.Mq;
    import org.mqproof.spi.MqProvider;
    import org.mqproof.spi.Setting;
    public final class %s implements MqProvider {
      @Override public String name() { return "%s"; }
      @Override public List<Setting<?>> settings() { return MqProvider.named("memory").settings(); }
      @Override public Mq connect(Map<String, String> settings) {
        return MqProvider.named("memory").connect(settings);
      }
    }
    """
        .formatted(className, system);
  }

  /**
   * Compiles a class and puts it into a jar.
   *
   * @param jar the file
   * @param className of a class in {@code com.example}
   * @param source its text
   * @param registered what the jar says that its providers are
   * @param classPath what it is compiled against, before what this test has
   */
  public static void write(
      Path jar, String className, String source, String registered, Path... classPath)
      throws IOException {
    Path work = Files.createTempDirectory("adapter-jar");
    try {
      Path file = Files.writeString(work.resolve(className + ".java"), source);
      compile(work, file, classPath);
      try (OutputStream out = Files.newOutputStream(jar);
          JarOutputStream entries = new JarOutputStream(out)) {
        try (Stream<Path> classes = Files.list(work.resolve("com/example"))) {
          for (Path compiled : classes.toList()) {
            entries.putNextEntry(new JarEntry("com/example/" + compiled.getFileName()));
            Files.copy(compiled, entries);
          }
        }
        if (!registered.isEmpty()) {
          entries.putNextEntry(new JarEntry("META-INF/services/org.mqproof.spi.MqProvider"));
          entries.write(registered.getBytes(StandardCharsets.UTF_8));
        }
      }
    } finally {
      try (Stream<Path> all = Files.walk(work)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  /** Compiles a file into a directory. */
  static void compile(Path directory, Path file, Path... classPath) {
    JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
    String own = System.getProperty("java.class.path");
    String path =
        Stream.concat(Stream.of(classPath).map(Path::toString), Stream.of(own))
            .reduce((a, b) -> a + System.getProperty("path.separator") + b)
            .orElseThrow();
    StringWriter said = new StringWriter();
    boolean compiled =
        compiler
            .getTask(
                said,
                null,
                null,
                List.of("-d", directory.toString(), "-cp", path, "-proc:none", "--release", "17"),
                null,
                compiler
                    .getStandardFileManager(null, null, StandardCharsets.UTF_8)
                    .getJavaFileObjects(file))
            .call();
    if (!compiled) {
      throw new AssertionError(said.toString());
    }
  }
}
