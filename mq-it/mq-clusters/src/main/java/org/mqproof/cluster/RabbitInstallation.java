package org.mqproof.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The RabbitMQ of this machine and what of Erlang a cluster of it needs. Immutable.
 *
 * @param server the start script of RabbitMQ itself, not a distribution's wrapper, which would
 *     insist on its own user and directories
 * @param epmd the program by which Erlang nodes find each other
 * @param erlCall the program that evaluates an expression in a node, in milliseconds where
 *     RabbitMQ's own tools start a virtual machine first
 * @param version RabbitMQ's version
 */
record RabbitInstallation(Path server, Path epmd, Path erlCall, String version) {

  /** Where a package puts daemons, which is not on everybody's path. */
  private static final List<Path> SYSTEM_DIRECTORIES =
      List.of(Path.of("/usr/local/sbin"), Path.of("/usr/sbin"));

  private static final Pattern RABBIT = Pattern.compile("rabbit-(\\d+\\.\\d+\\.\\d+.*?)(\\.ez)?");

  /**
   * Looks on the {@code PATH}.
   *
   * @throws ClusterException if something is missing; says what to install
   */
  static RabbitInstallation find() {
    return find(path());
  }

  /**
   * Looks in some directories.
   *
   * @throws ClusterException if something is missing; says what to install
   */
  static RabbitInstallation find(List<Path> directories) {
    Path server =
        executable("rabbitmq-server", directories)
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
          script, erlang("epmd", directories), erlang("erl_call", directories), version);
    } catch (IOException e) {
      throw new ClusterException("cannot look into the RabbitMQ of " + server, e);
    }
  }

  /** Debian's wrapper has a link to the real script beside it; elsewhere this is the real one. */
  private static Path behindWrapper(Path server) throws IOException {
    Path beside = server.toRealPath().resolveSibling("rabbitmq-server");
    return Files.exists(beside) ? beside.toRealPath() : server.toRealPath();
  }

  private static @Nullable String version(Path script) throws IOException {
    Path plugins = Objects.requireNonNull(script.getParent()).resolveSibling("plugins");
    if (!Files.isDirectory(plugins)) {
      return null;
    }
    try (DirectoryStream<Path> found = Files.newDirectoryStream(plugins, "rabbit-*")) {
      for (Path plugin : found) {
        Matcher matcher = RABBIT.matcher(plugin.getFileName().toString());
        if (matcher.matches()) {
          return matcher.group(1);
        }
      }
      return null;
    }
  }

  private static Path erlang(String name, List<Path> directories) {
    return executable(name, directories)
        .orElseThrow(
            () ->
                new ClusterException(
                    "there is no %s on the PATH: install Erlang/OTP whole, on Debian and Ubuntu with"
                            .formatted(name)
                        + " 'apt-get install erlang-base'"));
  }

  private static Optional<Path> executable(String name, List<Path> directories) {
    return directories.stream()
        .map(directory -> directory.resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static List<Path> path() {
    List<Path> directories = new ArrayList<>();
    for (String directory :
        Objects.requireNonNullElse(System.getenv("PATH"), "")
            .split(Pattern.quote(System.getProperty("path.separator")), -1)) {
      if (!directory.isEmpty()) {
        directories.add(Path.of(directory));
      }
    }
    directories.addAll(SYSTEM_DIRECTORIES);
    return directories;
  }
}
