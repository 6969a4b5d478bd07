package org.mqproof.cluster.activemq;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.Xml;

/** One KahaDB store that two nodes share, of which one has the lock. Thread-safe: no state. */
final class ActiveMqKahaDb {

  static final ActiveMqNodes.Store STORE =
      new ActiveMqNodes.Store(2, List.of(), (home, node, tuning) -> xml(directory(home), tuning));

  /** Where both containers see the directory that they share. */
  static final String DIRECTORY_IN_CONTAINER = "/mnt/shared-store";

  static final ActiveMqNodes.Store STORE_IN_CONTAINERS =
      new ActiveMqNodes.Store(
          2, List.of(), (home, node, tuning) -> xml(Path.of(DIRECTORY_IN_CONTAINER), tuning));

  /** The version of Spring that ActiveMQ's parent POM names: its own POM leaves it to the user. */
  private static final String SPRING_VERSION = "7.0.8";

  /** The same for ActiveMQ 5, which is of the time before Jakarta. */
  private static final String SPRING_VERSION_OF_5 = "5.3.39";

  /** How often the standby looks whether the lock is free. */
  private static final String DEFAULT_LOCKER = "<shared-file-locker/>";

  private static final String FAST_LOCKER =
      """
      <!-- Looks five times a second instead of every 10 s, for tests; left at ActiveMQ's default
                 where numbers are compared. -->
            <shared-file-locker lockAcquireSleepInterval="200"/>""";

  private ActiveMqKahaDb() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "ActiveMQ " + version,
        List.of(
            "org.apache.activemq:activemq-broker:" + version,
            "org.apache.activemq:activemq-client:" + version,
            "org.apache.activemq:activemq-jaas:" + version,
            "org.apache.activemq:activemq-kahadb-store:" + version,
            "org.apache.activemq:activemq-spring:" + version,
            "org.springframework:spring-context:"
                + (version.startsWith("5.") ? SPRING_VERSION_OF_5 : SPRING_VERSION),
            "org.slf4j:slf4j-simple:2.0.17"),
        List.of(),
        progress);
  }

  /** The store, on this machine. */
  static Path directory(ClusterHome home) {
    return home.directory().resolve("shared-store");
  }

  private static String xml(Path directory, Tuning tuning) {
    return """
              <!-- One store for both nodes, in a directory that both see. Whoever holds the lock
                   on it is active; the kernel frees the lock when that process dies, and only
                   then. There is one copy of each message: replicating it is the file system's
                   part. journalDiskSyncStrategy is written out because the guarantee rests on it:
                   with always, ActiveMQ's default, nothing is confirmed before the journal is on
                   disk. -->
              <kahaDB directory="%s" journalDiskSyncStrategy="%s">
                <locker>
                  %s
                </locker>
              </kahaDB>
        """
        .formatted(
            Xml.escape(directory),
            ActiveMqClusterProvider.diskSync(),
            tuning == Tuning.FAST ? FAST_LOCKER : DEFAULT_LOCKER);
  }
}
