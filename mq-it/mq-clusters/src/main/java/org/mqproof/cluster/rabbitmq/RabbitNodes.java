package org.mqproof.cluster.rabbitmq;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.container.Image;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.security.RandomHex;
import org.mqproof.cluster.security.Security;

/** How the nodes of a RabbitMQ cluster are configured and started. Thread-safe: no state. */
final class RabbitNodes {

  static final int COUNT = 3;
  static final String USER = "mqproof";
  static final String VIRTUAL_HOST = "/";

  /** What the name of a classic queue begins with that is to be mirrored. */
  static final String MIRRORED_PREFIX = "mirrored.";

  /** Where the user that RabbitMQ has in a container is at home, and its data. */
  static final String HOME_IN_CONTAINER = "/var/lib/rabbitmq";

  private static final String FILES_IN_CONTAINER = "/etc/rabbitmq/";

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final String FAST_CONFIGURATION =
      """

      # For tests; left at the default, 60 s, where numbers are compared. After a quarter more or
      # less than this a silent node counts as dead. Less would strike off a busy one.
      net_ticktime = 8
      """;

  /** Erlang's threads spin before they sleep, which takes the cores from the other nodes. */
  private static final String FAST_ERLANG = "+sbwt none +sbwtdcpu none +sbwtdio none";

  /** What of RabbitMQ a node of tests needs in its directory of plugins; finds the rest as ever. */
  private static final Pattern NEEDED =
      Pattern.compile("(rabbit|rabbit_common|ra|rabbitmq_auth_mechanism_ssl)-.*");

  private RabbitNodes() {}

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @return the epmd of each network, by which nodes find each other; they must be started first
   * @throws IOException if a file cannot be written
   */
  static List<NodeProcess> addTo(
      ClusterHome home, RabbitInstallation rabbit, Tuning tuning, String password)
      throws IOException {
    writeCookie(home);
    Files.writeString(definitionsFile(home), definitions(rabbit.version(), password));
    Map<String, String> quickStart = tuning == Tuning.FAST ? quickStart(home, rabbit) : Map.of();
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Files.createDirectories(directory.resolve("log"));
      home.onDisk(Files.createDirectories(directory.resolve("data")), node);
      String text = configuration(home, node, tuning, home.host(node), definitionsFile(home));
      Optional<Security> security = home.security(COUNT);
      Files.writeString(
          directory.resolve("rabbitmq.conf"),
          security.isPresent() ? text + secured(home, node, security.orElseThrow()) : text);
      Files.writeString(directory.resolve("advanced.config"), "[].\n");
      Files.writeString(
          directory.resolve("enabled_plugins"),
          security.isPresent() ? "[rabbitmq_auth_mechanism_ssl].\n" : "[].\n");
      ProcessBuilder command =
          NodeProcess.whenTold(rabbit.command(List.of(rabbit.server().toString())));
      clean(command.environment());
      command.environment().putAll(environment(home, node, tuning));
      quickStart.forEach((name, value) -> command.environment().merge(name, value, String::concat));
      home.add(command.directory(directory.toFile()));
    }
    int networks = home.isSeparate() ? COUNT : 1;
    List<NodeProcess> epmds = new ArrayList<>();
    for (int node = 1; node <= networks; node++) {
      ProcessBuilder epmd =
          NodeProcess.whenTold(
              rabbit.command(
                  List.of(
                      rabbit.epmd().toString(),
                      "-address",
                      home.host(node),
                      "-port",
                      Integer.toString(epmdPort(home)))));
      clean(epmd.environment());
      epmd.environment().put("HOME", home.directory().toString());
      home.enter(node, epmd);
      epmds.add(home.addService("epmd-" + node, epmd.directory(home.directory().toFile())));
    }
    return epmds;
  }

  /**
   * A node loads a thousand modules when it starts, and Erlang looks for each in one directory
   * after the other, those of RabbitMQ's ninety plugins first: thirty thousand times in vain. With
   * Erlang's own in front, and only the plugins that are used, a node starts with half the work.
   *
   * @return what is appended to the variables of a node's environment
   * @throws IOException if the directory of the plugins cannot be made
   */
  private static Map<String, String> quickStart(ClusterHome home, RabbitInstallation rabbit)
      throws IOException {
    Path plugins = Files.createDirectories(home.directory().resolve("plugins"));
    for (Path application : rabbit.applications(NEEDED)) {
      Files.createSymbolicLink(plugins.resolve(application.getFileName()), application);
    }
    String code =
        rabbit.libraries().stream()
            .map(Path::toString)
            .filter(library -> library.indexOf(' ') < 0) // the start script splits there
            .collect(Collectors.joining(" "));
    return Map.of(
        "RABBITMQ_PLUGINS_DIR",
        plugins.toString(),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
        code.isEmpty() ? "" : " -pa " + code);
  }

  /**
   * Adds the nodes as containers, without starting them.
   *
   * @param image with its tag, laid out as the official one of RabbitMQ is
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, String image, Tuning tuning, String password)
      throws IOException {
    Containers containers = Containers.in(home, COUNT);
    Path cookie = writeCookie(home);
    Files.writeString(definitionsFile(home), definitions(Image.tag(image), password));
    Path definitions = Path.of(FILES_IN_CONTAINER, "definitions.json");
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path configuration = directory.resolve("rabbitmq.conf");
      Files.writeString(configuration, configuration(home, node, tuning, "0.0.0.0", definitions));
      Path plugins = Files.writeString(directory.resolve("enabled_plugins"), "[].\n");
      containers.add(
          image,
          Map.of(
              "RABBITMQ_NODENAME",
              name(node, Containers.alias(node)),
              "RABBITMQ_DIST_PORT",
              Integer.toString(distributionPort(home, node)),
              "RABBITMQ_SCHEDULER_BIND_TYPE",
              "u",
              "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
              erlang(tuning),
              // What the image has there would come on top of the one file that counts.
              "RABBITMQ_CONFIG_FILES",
              "/no-more-files",
              "RABBITMQ_LOGS",
              "-"),
          List.of(
              new Containers.Copy(cookie, HOME_IN_CONTAINER + "/.erlang.cookie", 0400),
              Containers.Copy.readable(configuration, FILES_IN_CONTAINER + "rabbitmq.conf"),
              Containers.Copy.readable(plugins, FILES_IN_CONTAINER + "enabled_plugins"),
              Containers.Copy.readable(definitionsFile(home), definitions.toString())),
          List.of(),
          port(home, node));
    }
  }

  private static Path writeCookie(ClusterHome home) throws IOException {
    Path cookie = home.directory().resolve(".erlang.cookie");
    Files.createFile(
        cookie, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(cookie, RandomHex.of(16));
    return Files.setPosixFilePermissions(cookie, PosixFilePermissions.fromString("r--------"));
  }

  /** Takes out what would reach into RabbitMQ or Erlang from the environment of this JVM. */
  static void clean(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(
            name ->
                name.startsWith("RABBITMQ_")
                    || name.startsWith("ERL_")
                    || name.equals("NOTIFY_SOCKET"));
  }

  static int port(ClusterHome home, int node) {
    return home.port(node);
  }

  static int securedPort(ClusterHome home, int node) {
    return home.port(3 * COUNT + 1 + node);
  }

  private static String secured(ClusterHome home, int node, Security security) {
    return """

    # Clients come with TLS, with a password or with a certificate, whose name is then the user's. The
    # port without is for the cluster itself.
    listeners.ssl.1 = %s:%d
    ssl_options.cacertfile = %s
    ssl_options.certfile = %s
    ssl_options.keyfile = %s
    ssl_options.verify = verify_peer
    ssl_options.fail_if_no_peer_cert = false
    ssl_cert_login_from = common_name
    auth_mechanisms.1 = PLAIN
    auth_mechanisms.2 = EXTERNAL
    """
        .formatted(
            home.host(node),
            securedPort(home, node),
            security.authority().file(),
            security.node().certificate(),
            security.node().key());
  }

  /** The port at which a node talks to the others. */
  static int distributionPort(ClusterHome home, int node) {
    return home.port(COUNT + node);
  }

  static int epmdPort(ClusterHome home) {
    return home.port(2 * COUNT + 1);
  }

  /** The name by which Erlang knows a node. */
  static String name(ClusterHome home, int node) {
    return name(node, home.isSeparate() ? home.host(node) : "localhost");
  }

  /** The name by which Erlang knows a node of a host that is known by a name. */
  static String name(int node, String host) {
    return "rabbit%d@%s".formatted(node, host);
  }

  private static Path definitionsFile(ClusterHome home) {
    return home.directory().resolve("definitions.json");
  }

  private static String erlang(Tuning tuning) {
    return tuning == Tuning.FAST ? FAST_ERLANG : "";
  }

  /** What a node cannot be told in its configuration file. */
  static Map<String, String> environment(ClusterHome home, int node, Tuning tuning) {
    Path directory = home.directory(node);
    return Map.ofEntries(
        Map.entry("HOME", home.directory().toString()), // where Erlang looks for the cookie
        Map.entry("LANG", "C.UTF-8"),
        Map.entry("ERL_EPMD_ADDRESS", home.host(node)),
        Map.entry("ERL_EPMD_PORT", Integer.toString(epmdPort(home))),
        Map.entry("RABBITMQ_NODENAME", name(home, node)),
        Map.entry("RABBITMQ_USE_LONGNAME", Boolean.toString(home.isSeparate())),
        Map.entry("RABBITMQ_NODE_IP_ADDRESS", home.host(node)),
        Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port(home, node))),
        Map.entry("RABBITMQ_DIST_PORT", Integer.toString(distributionPort(home, node))),
        Map.entry(
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            "-kernel inet_dist_use_interface {%s} %s"
                .formatted(home.host(node).replace('.', ','), erlang(tuning))
                .strip()),
        // RabbitMQ binds its threads to cores, and says not to where several nodes share them.
        Map.entry("RABBITMQ_SCHEDULER_BIND_TYPE", "u"),
        // Else the script would stay in front of the node, and a signal would reach the script.
        Map.entry("RUNNING_UNDER_SYSTEMD", "1"),
        Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
        Map.entry("RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq.conf").toString()),
        Map.entry("RABBITMQ_CONFIG_FILES", directory.resolve("no-more-files").toString()),
        Map.entry("RABBITMQ_ADVANCED_CONFIG_FILE", directory.resolve("advanced.config").toString()),
        Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("enabled_plugins").toString()),
        Map.entry("RABBITMQ_FEATURE_FLAGS_FILE", directory.resolve("feature_flags").toString()),
        Map.entry("RABBITMQ_GENERATED_CONFIG_DIR", directory.resolve("generated").toString()),
        Map.entry("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString()),
        Map.entry("RABBITMQ_LOG_BASE", directory.resolve("log").toString()),
        Map.entry("RABBITMQ_LOGS", "-")); // to the standard output, which is the node's log
  }

  /** Everything that is not RabbitMQ's default, so that a reviewer needs nothing but this file. */
  static String configuration(
      ClusterHome home, int node, Tuning tuning, String address, Path definitions) {
    String text =
        """
        # Node %d of %d. Every setting that is not here has RabbitMQ's default.

        # One machine, seen by nobody else, the same ports for the cluster's life.
        listeners.tcp.1 = %s:%d

        # The memory of one machine for three nodes and their clients: half of the default for each.
        vm_memory_high_watermark.relative = 0.2

        # As RabbitMQ advises for three nodes: one that sees neither of the others stops serving,
        # so that no queue has two leaders that both confirm.
        cluster_partition_handling = pause_minority

        # Every look at the cluster is a connection or more: their log would hide all else.
        log.connection.level = warning

        # Users, permissions and policies, without a tool that starts a virtual machine for each.
        load_definitions = %s
        """
            .formatted(node, COUNT, address, port(home, node), definitions);
    return tuning == Tuning.FAST ? text + FAST_CONFIGURATION : text;
  }

  /**
   * Users, permissions and, before RabbitMQ 4 took mirrored queues away, the policy that mirrors
   * classic queues whose names begin with {@value #MIRRORED_PREFIX}.
   *
   * <p>A confirm of such a queue waits for every mirror. A mirror that comes back is filled at
   * once, and one that is not filled yet never becomes the master, whether the old one died or was
   * stopped: the queue is then not to be had until the old one is back, but nothing confirmed is
   * lost.
   */
  static String definitions(String version, String password) {
    String policies =
        !RabbitClusterProvider.hasMirroredQueues(version)
            ? ""
            : """
            {
              "vhost": "%s", "name": "mirrored", "pattern": "^mirrored\\\\.",
              "apply-to": "queues", "priority": 0,
              "definition": {
                "ha-mode": "all",
                "ha-sync-mode": "automatic",
                "ha-promote-on-failure": "when-synced",
                "ha-promote-on-shutdown": "when-synced"
              }
            }
            """
                .formatted(VIRTUAL_HOST);
    return """
    {
      "users": [
        {"name": "%1$s", "password_hash": "%2$s",
         "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""},
        {"name": "%5$s", "password_hash": "%2$s",
         "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""}
      ],
      "vhosts": [{"name": "%3$s"}],
      "permissions": [
        {"user": "%1$s", "vhost": "%3$s", "configure": ".*", "write": ".*", "read": ".*"},
        {"user": "%5$s", "vhost": "%3$s", "configure": "^$", "write": "^amq\\\\.default$", "read": "^%6$s$"}
      ],
      "policies": [%4$s]
    }
    """
        .formatted(
            USER,
            passwordHash(password),
            VIRTUAL_HOST,
            policies,
            Access.LEAST_USER,
            Access.LEAST_QUEUE);
  }

  /** RabbitMQ's form: four bytes of salt, then the digest of salt and password. */
  private static String passwordHash(String password) {
    byte[] salt = new byte[4];
    RANDOM.nextBytes(salt);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(salt);
      byte[] hash = digest.digest(password.getBytes(StandardCharsets.UTF_8));
      byte[] both = new byte[salt.length + hash.length];
      System.arraycopy(salt, 0, both, 0, salt.length);
      System.arraycopy(hash, 0, both, salt.length, hash.length);
      return Base64.getEncoder().encodeToString(both);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
