package org.mqproof.cluster.rabbitmq;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.SearchPath;

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

  private static final Pattern RABBIT = Pattern.compile("rabbit-(\\d+\\.\\d+\\.\\d+.*?)(\\.ez)?");

  /**
   * Looks on the {@code PATH}.
   *
   * @throws ClusterException if something is missing; says what to install
   */
  static RabbitInstallation find() {
    return find(SearchPath.directories());
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
    return SearchPath.executable(name, directories)
        .orElseThrow(
            () ->
                new ClusterException(
                    "there is no %s on the PATH: install Erlang/OTP whole, on Debian and Ubuntu with"
                            .formatted(name)
                        + " 'apt-get install erlang-base'"));
  }
}
