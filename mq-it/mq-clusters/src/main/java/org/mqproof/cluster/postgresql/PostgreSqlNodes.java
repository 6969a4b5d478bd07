package org.mqproof.cluster.postgresql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Commands;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.security.Security;

/** How the nodes of a PostgreSQL cluster are configured and started. Thread-safe: no state. */
final class PostgreSqlNodes {

  static final int COUNT = 3;
  static final String USER = "mqproof";

  /** Who is let in with TLS and a password only. */
  static final String SECURED_USER = "secured";

  private static final int INITDB_SECONDS = 60;

  /** In a copy of a database that is in use: what belongs to its processes, and its log. */
  private static final Set<String> NOT_COPIED =
      Set.of(
          "pg_dynshmem",
          "pg_notify",
          "pg_replslot",
          "pg_serial",
          "pg_snapshots",
          "pg_stat_tmp",
          "pg_subtrans",
          "pg_wal");

  private static final String SECURED_ACCESS =
      """
      # With TLS that user is known by the certificate; this one is not let in without TLS.
      hostssl all %s all cert
      hostnossl all %s all reject
      """
          .formatted(USER, SECURED_USER);

  private static final String FAST_CONFIGURATION =
      """

      # For tests: who is gone is noticed sooner than after 60 s, and found again sooner than after 5 s.
      wal_receiver_timeout = 3s
      wal_sender_timeout = 3s
      wal_retrieve_retry_interval = 200ms
      """;

  private PostgreSqlNodes() {}

  /**
   * Unpacks the programs, makes a database and a copy for each node, and adds the nodes, without
   * starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, Path jar, String password, Tuning tuning) throws IOException {
    Root.open(home.directory());
    Path programs = Files.createDirectories(home.directory().resolve("postgresql"));
    PostgreSqlInstallation.unpack(jar, programs);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path data = Files.createDirectories(directory.resolve("data"));
      home.onDisk(data, node);
      Path configuration = directory.resolve("postgresql.conf");
      Files.writeString(configuration, configuration(home, node, tuning));
      Optional<Security> security = home.security(COUNT);
      if (security.isPresent()) {
        Files.writeString(configuration, tls(directory, security.get()), StandardOpenOption.APPEND);
      }
      Path access = directory.resolve("pg_hba.conf");
      Files.writeString(
          access,
          (security.isPresent() ? SECURED_ACCESS : "")
              + """
              # Whoever connects, clients and standbys, gives a password.
              host all all all scram-sha-256
              host replication all all scram-sha-256
              """);
      home.add(
          NodeProcess.whenTold(
                  Root.givenUp(
                      List.of(
                          programs.resolve("bin/postgres").toString(),
                          "-D",
                          data.resolve("pg").toString(),
                          "-c",
                          "config_file=" + configuration,
                          "-c",
                          "hba_file=" + access)))
              .directory(directory.toFile()));
    }
    Path initial = home.directory().resolve("initial");
    initialize(home, programs, initial, password);
    if (home.security().isPresent()) {
      Commands.run(
          Root.givenUp(
              List.of(
                  programs.resolve("bin/postgres").toString(),
                  "--single",
                  "-D",
                  initial.toString(),
                  "postgres")),
          """
          CREATE ROLE %1$s SUPERUSER LOGIN PASSWORD '%3$s'
          CREATE ROLE %2$s LOGIN PASSWORD '%3$s'
          """
              .formatted(SECURED_USER, Access.LEAST_USER, password));
    }
    for (int node = 1; node <= COUNT; node++) {
      copy(initial, database(home, node), Set.of());
      if (node > 1) {
        follow(home, node, 1, password);
      }
      settle(home, node);
    }
    ClusterHome.deleteTree(initial);
  }

  /** The key is a copy: the server wants to be its owner. */
  private static String tls(Path directory, Security security) throws IOException {
    Path key = Files.copy(security.node().key(), directory.resolve("node.key"));
    Root.handOver(key);
    return """

        # Clients may use TLS; pg_hba.conf says who has to.
        ssl = on
        ssl_cert_file = '%s'
        ssl_key_file = '%s'
        ssl_ca_file = '%s'
        """
        .formatted(security.node().certificate(), key, security.authority().file());
  }

  private static void initialize(ClusterHome home, Path programs, Path to, String password)
      throws IOException {
    Path secret = home.directory().resolve("password");
    Files.writeString(secret, password + "\n");
    Root.handOver(secret);
    Path unused = Files.createDirectory(to);
    Root.handOver(to);
    Process initdb =
        new ProcessBuilder(
                Root.givenUp(
                    List.of(
                        programs.resolve("bin/initdb").toString(),
                        "--pgdata=" + to,
                        "--username=" + USER,
                        "--pwfile=" + secret,
                        "--auth=scram-sha-256",
                        "--no-locale",
                        "--encoding=UTF8",
                        "--no-sync", // the copies are written to disk
                        "--no-instructions")))
            .directory(home.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(home.directory().resolve("initdb.log").toFile())
            .start();
    try {
      if (!initdb.waitFor(INITDB_SECONDS, TimeUnit.SECONDS) || initdb.exitValue() != 0) {
        throw new ClusterException(
            "initdb made no database:\n"
                + Files.readString(home.directory().resolve("initdb.log")));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while initdb ran", e);
    } finally {
      initdb.descendants().forEach(ProcessHandle::destroyForcibly);
      initdb.destroyForcibly();
      Files.delete(secret);
    }
  }

  /** Where this process sees a node's database. */
  static Path database(ClusterHome home, int node) {
    Path data =
        home.hasDisks() ? home.disks().seenFromHere(node) : home.directory(node).resolve("data");
    return data.resolve("pg");
  }

  static String address(ClusterHome home, int node) {
    return home.host(node) + ":" + home.port(node);
  }

  static String addresses(ClusterHome home) {
    return home.addresses(COUNT, home::port);
  }

  /** Where a standby gets its data from, as the server wants it. */
  static String connection(ClusterHome home, int standby, int primary, String password) {
    return "host=%s port=%d user=%s password=%s application_name=%s connect_timeout=2"
        .formatted(home.host(primary), home.port(primary), USER, password, name(standby));
  }

  private static String name(int node) {
    return "node" + node;
  }

  /** Makes a copy of a database the one of a standby, while no process has it. */
  static void follow(ClusterHome home, int standby, int primary, String password)
      throws IOException {
    Path database = database(home, standby);
    write(database.resolve("standby.signal"), "");
    write(
        database.resolve("postgresql.auto.conf"),
        "primary_conninfo = '%s'\n".formatted(connection(home, standby, primary, password)));
  }

  /**
   * Replaces the database of a dead node by a copy of that of the primary, which knows that it is
   * copied.
   */
  static void copyFrom(ClusterHome home, int from, int to) throws IOException {
    ClusterHome.deleteTree(database(home, to));
    copy(database(home, from), database(home, to), NOT_COPIED);
  }

  /** Has what was written to a node's database get to its disk, if that may lose its power. */
  static void settle(ClusterHome home, int node) {
    if (home.hasDisks()) {
      Commands.run(List.of("sync", "--file-system", database(home, node).toString()), "");
    }
  }

  static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.writeString(file, text, StandardCharsets.UTF_8);
    Root.handOver(file);
  }

  /** Files that are deleted meanwhile are not missed: the log has what became of them. */
  private static void copy(Path from, Path to, Set<String> directoriesLeftEmpty)
      throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            copy(directory);
            boolean leftEmpty =
                directoriesLeftEmpty.contains(from.relativize(directory).toString());
            return leftEmpty ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = file.getFileName().toString();
            if (!name.startsWith("postmaster.") && !name.startsWith("pgsql_tmp")) {
              copy(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          private void copy(Path one) throws IOException {
            try {
              Path unused =
                  Files.copy(
                      one,
                      to.resolve(from.relativize(one).toString()),
                      StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException e) {
              if (Files.exists(one)) {
                throw e;
              }
            }
          }
        });
  }

  /**
   * Everything that is not PostgreSQL's default, so that a reviewer needs nothing but this file.
   */
  static String configuration(ClusterHome home, int node, Tuning tuning) {
    String text =
        """
        # Node %1$d of %2$d. Every setting that is not here has PostgreSQL's default.

        # One machine, seen by nobody else, the same ports for the cluster's life.
        listen_addresses = '%3$s'
        port = %4$d
        unix_socket_directories = ''

        # A commit waits for the disks of the primary and of one of the standbys.
        synchronous_standby_names = 'ANY 1 (%5$s)'
        cluster_name = '%6$s'

        # A standby that was away finds what it missed.
        wal_keep_size = 1GB

        # Many tests at a time, each with connections of its own.
        max_connections = 400

        # What shared memory there is beside the main one goes with the directory.
        dynamic_shared_memory_type = mmap
        """
            .formatted(
                node,
                COUNT,
                home.host(node),
                home.port(node),
                IntStream.rangeClosed(1, COUNT)
                    .mapToObj(PostgreSqlNodes::name)
                    .collect(Collectors.joining(", ")),
                name(node));
    return tuning == Tuning.FAST ? text + FAST_CONFIGURATION : text;
  }
}
