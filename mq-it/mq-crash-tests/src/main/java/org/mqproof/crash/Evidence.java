package org.mqproof.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.Cluster;

/**
 * What shows how a run lost confirmed messages, in one file: the run, its history, the nodes'
 * configuration and logs, and the commands that judge the history and repeat the run.
 */
final class Evidence {

  /** The system property that names the directory of the files, one per run. */
  private static final String DIRECTORY_PROPERTY = "mqproof.evidence";

  private static final String DIRECTORY = "target/evidence";

  /** Of a larger file, as of a store, only the size is told. */
  private static final long LARGEST_BYTES = 4 << 20;

  private Evidence() {}

  /**
   * Writes the file.
   *
   * @param run judged
   * @param seen the evidence that the fault took effect, and the times
   * @param history of the run
   * @param cluster whose nodes have their data elsewhere, or as small files
   * @param test the class that ran it
   * @return the file
   */
  static Path write(CellRun run, String seen, Path history, Cluster cluster, Class<?> test)
      throws IOException {
    Path directory =
        Files.createDirectories(Path.of(System.getProperty(DIRECTORY_PROPERTY, DIRECTORY)));
    String name = history.getFileName().toString().replace(".history", "");
    Path unfinished = directory.resolve(name + ".unfinished");
    try {
      try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(unfinished))) {
        List<String> leftOut = addNodes(zip, cluster.directory());
        add(zip, history.getFileName().toString(), Files.readAllBytes(history));
        add(zip, "README.txt", text(run, seen, history, test, leftOut).getBytes(UTF_8));
      }
      return Files.move(
          unfinished, directory.resolve(name + ".zip"), StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static List<String> addNodes(ZipOutputStream zip, Path directory) throws IOException {
    List<String> leftOut = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = directory.relativize(file).toString();
            if (!attributes.isRegularFile() || !name.startsWith("node-")) {
              return FileVisitResult.CONTINUE; // a disk's image, or a secret that the nodes share
            }
            if (attributes.size() > LARGEST_BYTES) {
              leftOut.add("%s, %,d bytes".formatted(name, attributes.size()));
              return FileVisitResult.CONTINUE;
            }
            try {
              add(zip, name, Files.readAllBytes(file));
            } catch (NoSuchFileException e) {
              leftOut.add(name + ", deleted meanwhile");
            }
            return FileVisitResult.CONTINUE;
          }

          /** The nodes are running: a file of theirs may be gone by now. */
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException why) {
            leftOut.add("%s: %s".formatted(directory.relativize(file), why));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException why) {
            return FileVisitResult.CONTINUE;
          }
        });
    return leftOut;
  }

  private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }

  private static String text(
      CellRun run, String seen, Path history, Class<?> test, List<String> leftOut) {
    return """
        %s %s, %s: %s

        %s

        %s

        The verdict again, from the history:
          java -jar benchmarks.jar verdict %s

        Another run with the same random moments:
          mvn -Pfull -pl mq-it/mq-crash-tests -am verify -Dtest=None -Dmqproof.disks=true \\
              -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false \\
              -Dit.test=%s -Dmqproof.seed=%s

        node-N has the configuration and the logs of each node.
        %s"""
        .formatted(
            run.system(),
            run.version(),
            run.mode(),
            run.fault(),
            seen,
            run.line().replace('\t', '\n'),
            history.getFileName(),
            test.getSimpleName(),
            run.values().get("seed"),
            leftOut.isEmpty() ? "" : "Not here: " + String.join("; ", leftOut) + "\n");
  }
}
