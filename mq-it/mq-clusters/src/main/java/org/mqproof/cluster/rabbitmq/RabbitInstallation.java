package org.mqproof.cluster.rabbitmq;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.SearchPath;

/**
 * The RabbitMQ of this machine, or of another system's root directory, and what of Erlang a cluster
 * of it needs. Immutable.
 *
 * @param root whose {@code /usr} its programs see in place of this machine's; null for this
 *     machine's own
 * @param server the start script of RabbitMQ itself, not a distribution's wrapper, which would
 *     insist on its own user and directories
 * @param epmd the program by which Erlang nodes find each other
 * @param erlCall the program that evaluates an expression in a node, in milliseconds where
 *     RabbitMQ's own tools start a virtual machine first
 * @param libraries the compiled code of Erlang itself, one directory for each application
 * @param version RabbitMQ's version
 */
record RabbitInstallation(
    @Nullable Path root,
    Path server,
    Path epmd,
    Path erlCall,
    List<Path> libraries,
    String version) {

  private static final Path THIS_MACHINE = Path.of("/");

  /** In a mount namespace that ends with the command, and that no other process sees. */
  private static final String WITH_USR_OF = "mount --bind \"$0/usr\" /usr && exec \"$@\"";

  private static final Pattern RABBIT = Pattern.compile("rabbit-(\\d+\\.\\d+\\.\\d+.*?)(\\.ez)?");

  /**
   * Looks in the root directory that {@value RabbitClusterProvider#ROOT_PROPERTY} names, or else on
   * the {@code PATH}.
   *
   * @throws ClusterException if something is missing; says what to install
   */
  static RabbitInstallation find() {
    String root = System.getProperty(RabbitClusterProvider.ROOT_PROPERTY);
    if (root == null) {
      return find(SearchPath.directories());
    }
    RabbitInstallation found = in(Path.of(root));
    try {
      Commands.run(found.command(List.of("test", "-x", found.server().toString())), "");
      return found;
    } catch (ClusterException e) {
      throw new ClusterException(
          "the RabbitMQ of %s runs only on Linux, as root, with unshare and mount: %s"
              .formatted(root, e.getMessage()),
          e);
    }
  }

  /**
   * Looks in the root directory of a system.
   *
   * @throws ClusterException if something is missing
   */
  static RabbitInstallation in(Path root) {
    try {
      Path real = root.toRealPath();
      RabbitInstallation found = find(List.of(real.resolve("usr/sbin"), real.resolve("usr/bin")));
      return new RabbitInstallation(
          real,
          THIS_MACHINE.resolve(real.relativize(found.server())),
          THIS_MACHINE.resolve(real.relativize(found.epmd())),
          THIS_MACHINE.resolve(real.relativize(found.erlCall())),
          found.libraries().stream()
              .map(library -> THIS_MACHINE.resolve(real.relativize(library)))
              .toList(),
          found.version());
    } catch (IOException | ClusterException e) {
      throw new ClusterException(
          "there is no RabbitMQ in %s, which -D%s names: mq-it/mq-clusters/fetch-rabbitmq4 makes one"
              .formatted(root, RabbitClusterProvider.ROOT_PROPERTY),
          e);
    }
  }

  /** What runs one of its programs: the same command, unless it has a root directory. */
  List<String> command(List<String> program) {
    if (root == null) {
      return program;
    }
    List<String> command = new ArrayList<>();
    command.addAll(List.of("unshare", "--mount", "sh", "-c", WITH_USR_OF, root.toString()));
    command.addAll(program);
    return command;
  }

  /**
   * Looks in some directories.
   *
   * @throws ClusterException if something is missing; says what to install
   */
  static RabbitInstallation find(List<Path> directories) {
    Path server =
        SearchPath.executable("rabbitmq-server", directories)
            .orElseThrow(
                () ->
                    new ClusterException(
                        "there is no rabbitmq-server on the PATH: install RabbitMQ, on Debian and"
                            + " Ubuntu with 'apt-get install rabbitmq-server'"));
    try {
      Path script = behindWrapper(server);
      String version = version(script);
      if (version == null) {
        throw new ClusterException(
            "%s is not RabbitMQ's own start script, nor is one beside it: put the sbin directory of"
                    .formatted(server)
                + " a RabbitMQ distribution on the PATH");
      }
      return new RabbitInstallation(
          null,
          script,
          erlang("epmd", directories),
          erlang("erl_call", directories),
          libraries(erlang("erl", directories)),
          version);
    } catch (IOException e) {
      throw new ClusterException("cannot look into the RabbitMQ of " + server, e);
    }
  }

  /** Debian's wrapper has a link to the real script beside it; elsewhere this is the real one. */
  private static Path behindWrapper(Path server) throws IOException {
    Path beside = server.toRealPath().resolveSibling("rabbitmq-server");
    return Files.exists(beside) ? beside.toRealPath() : server.toRealPath();
  }

  /** Where a distribution has its applications, which are not all plugins. */
  private static Path plugins(Path script) {
    return Objects.requireNonNull(script.getParent()).resolveSibling("plugins");
  }

  /**
   * The applications of some names, with their versions, as its programs see them.
   *
   * @throws IOException if the directory cannot be read
   */
  List<Path> applications(Pattern name) throws IOException {
    Path seen = plugins(server);
    Path real = root == null ? seen : root.resolve(THIS_MACHINE.relativize(seen));
    return list(real)
        .map(application -> seen.resolve(application.getFileName()))
        .filter(application -> name.matcher(application.getFileName().toString()).matches())
        .toList();
  }

  /** Behind {@code erl} is {@code bin/erl} of an Erlang/OTP, wherever it was installed. */
  private static List<Path> libraries(Path erl) throws IOException {
    Path bin = Objects.requireNonNull(erl.toRealPath().getParent());
    return list(bin.resolveSibling("lib"))
        .map(library -> library.resolve("ebin"))
        .filter(Files::isDirectory)
        .toList();
  }

  private static Stream<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return Stream.empty();
    }
    try (Stream<Path> found = Files.list(directory)) {
      return found.sorted().toList().stream();
    }
  }

  private static @Nullable String version(Path script) throws IOException {
    return list(plugins(script))
        .map(plugin -> RABBIT.matcher(plugin.getFileName().toString()))
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1))
        .findFirst()
        .orElse(null);
  }

  private static Path erlang(String name, List<Path> directories) {
    return SearchPath.executable(name, directories)
        .orElseThrow(
            () ->
                new ClusterException(
                    "there is no %s on the PATH: install Erlang/OTP whole, on Debian and Ubuntu with"
                            .formatted(name)
                        + " 'apt-get install erlang-base'"));
  }
}
