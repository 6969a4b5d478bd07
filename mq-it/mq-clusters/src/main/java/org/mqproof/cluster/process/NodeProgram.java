package org.mqproof.cluster.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.mqproof.cluster.ClusterException;

/**
 * What the JVM of a node runs: a main class of this library, and the broker's jars.
 *
 * <p>A node of these systems loads 5,000 to 10,000 classes. The first cluster that closes has one
 * of its nodes write an archive of them (class data sharing); nodes that start later map it into
 * memory, which takes a third of their start away. The archive lies in the {@link Cache}, some 50
 * MB for each system, and is written anew for other jars or another JVM. Thread-safe.
 */
public final class NodeProgram {

  private static final String ARCHIVE = ".jsa";

  private final String mainClass;
  private final List<Path> classPath;
  private final Cache cache;
  private final String prefix;
  private final String archive;

  private NodeProgram(
      String mainClass, List<Path> classPath, Cache cache, String prefix, String archive) {
    this.mainClass = mainClass;
    this.classPath = classPath;
    this.cache = cache;
    this.prefix = prefix;
    this.archive = archive;
  }

  /**
   * The program of nodes.
   *
   * @param mainClass a top-level class without nested ones; a name, because what it extends need
   *     not be on this JVM's class path. It waits for a line on its standard input before it does
   *     anything that needs cleaning up
   * @param jars of the broker. They stay where they are, as the archive wants it, and none of them
   *     is a directory
   * @return a program
   * @throws IOException if the cache cannot be written
   */
  public static NodeProgram of(String mainClass, List<Path> jars) throws IOException {
    return of(new Cache(), mainClass, jars);
  }

  static NodeProgram of(Cache cache, String mainClass, List<Path> jars) throws IOException {
    List<Path> classPath = new ArrayList<>();
    classPath.add(jarOf(cache, mainClass));
    classPath.addAll(jars);
    StringBuilder all = new StringBuilder(System.getProperty("java.home"));
    for (Path jar : classPath) {
      all.append("\n%s %d %s".formatted(jar, Files.size(jar), Files.getLastModifiedTime(jar)));
    }
    String prefix = "%s-%s-".formatted(mainClass, System.getProperty("java.vm.version"));
    String name = prefix + hash(all.toString().getBytes(StandardCharsets.UTF_8)) + ARCHIVE;
    return new NodeProgram(mainClass, List.copyOf(classPath), cache, prefix, name);
  }

  private static Path jarOf(Cache cache, String mainClass) throws IOException {
    byte[] bytes = Java.classFile(mainClass);
    return cache.file(
        "%s-%s.jar".formatted(mainClass, hash(bytes)),
        to -> {
          try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(to))) {
            zip.putNextEntry(new ZipEntry(Java.pathOf(mainClass)));
            zip.write(bytes);
          }
          // An archive knows its jars by their time too, also if another process writes this again.
          Files.setLastModifiedTime(to, FileTime.fromMillis(0));
        });
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** The command of a node, to be given a directory. Uses the archive if there is one. */
  ProcessBuilder command(List<String> options, List<String> arguments) {
    List<String> all = new ArrayList<>(options);
    Path written = cache.path(archive);
    all.add(
        Files.exists(written)
            ? "-XX:SharedArchiveFile=" + written
            : "-XX:+RecordDynamicDumpInfo"); // else no archive can be written
    return Java.command(all, classPath, mainClass, arguments);
  }

  /**
   * Has a node write the archive, which stops it for a second or two, unless that was tried before.
   * Where it fails, nodes start as they did, and a file beside says why.
   */
  void writeArchive(NodeProcess node) throws IOException {
    Path failed = cache.path(archive + ".failed");
    if (Files.exists(cache.path(archive)) || Files.exists(failed) || !node.isRunning()) {
      return;
    }
    try {
      Path unused = cache.file(archive, to -> dump(node.handle().pid(), to));
      deleteOthers();
    } catch (ClusterException | IOException e) {
      if (!Thread.currentThread().isInterrupted()) {
        Files.writeString(failed, e + "\n");
      }
    }
  }

  private static void dump(long pid, Path to) {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process asked =
        Commands.begin(List.of(jcmd, Long.toString(pid), "VM.cds", "dynamic_dump", to.toString()));
    try {
      String said = Commands.end(asked);
      if (!Files.exists(to)) { // its exit value does not tell
        throw new ClusterException("jcmd says: " + said);
      }
    } finally {
      asked.destroyForcibly();
    }
  }

  /** Those of other jars. A JVM that uses one keeps it. */
  private void deleteOthers() throws IOException {
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(cache.directory(), prefix + "*" + ARCHIVE)) {
      for (Path other : all) {
        if (!other.endsWith(archive)) {
          Files.deleteIfExists(other);
        }
      }
    }
  }
}
