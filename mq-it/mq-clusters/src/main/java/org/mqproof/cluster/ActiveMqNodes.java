package org.mqproof.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** How the nodes of an ActiveMQ pair are configured and started. Thread-safe: no state. */
final class ActiveMqNodes {

  static final int COUNT = 2;

  /** Name and password of who sends and receives. */
  static final String USER = "mqproof";

  /** Name and password of who also creates and deletes queues. */
  static final String ADMIN = "mqproof-admin";

  /** The version of Spring that ActiveMQ's parent POM names: its own POM leaves it to the user. */
  private static final String SPRING_VERSION = "7.0.8";

  /** The options of ActiveMQ's own start script. */
  private static final List<String> DEFAULT_JVM_OPTIONS = List.of("-Xms64m", "-Xmx1g");

  /** Less work for the compiler and the collector. */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** How often the standby looks whether the lock is free. */
  private static final String DEFAULT_LOCKER = "<shared-file-locker/>";

  private static final String FAST_LOCKER =
      """
      <!-- Looks five times a second instead of every 10 s, for tests; left at ActiveMQ's default
                 where numbers are compared. -->
            <shared-file-locker lockAcquireSleepInterval="200"/>""";

  /** A silent client is taken for dead after 5 s instead of 30 s, for tests. */
  private static final String FAST_WIRE_FORMAT = "?wireFormat.maxInactivityDuration=5000";

  private ActiveMqNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "ActiveMQ " + version,
        List.of(
            "org.apache.activemq:activemq-broker:" + version,
            "org.apache.activemq:activemq-client:" + version,
            "org.apache.activemq:activemq-jaas:" + version,
            "org.apache.activemq:activemq-kahadb-store:" + version,
            "org.apache.activemq:activemq-spring:" + version,
            "org.springframework:spring-context:" + SPRING_VERSION,
            "org.slf4j:slf4j-simple:2.0.17"),
        List.of(),
        progress);
  }

  /**
   * Writes the configuration of both nodes and adds the nodes, without starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Tuning tuning) throws IOException {
    List<Path> classPath = new ArrayList<>();
    classPath.add(
        Java.copyClasses(
            home.directory().resolve("node-classes"), ActiveMqNodeMain.class.getName()));
    classPath.addAll(jars);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path temporary = Files.createDirectories(directory.resolve("tmp"));
      Path xml = directory.resolve("activemq.xml");
      Files.writeString(xml, xml(home, node, tuning), StandardCharsets.UTF_8);
      List<String> options =
          new ArrayList<>(tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS);
      options.addAll(Java.nodeOptions(temporary));
      home.add(
          Java.command(
                  options, classPath, ActiveMqNodeMain.class.getName(), List.of(xml.toString()))
              .directory(directory.toFile()));
    }
  }

  static String address(ClusterHome home, int node) {
    return "127.0.0.1:" + home.port(node);
  }

  /** Everything that is not ActiveMQ's default, so that a reviewer needs nothing but this file. */
  static String xml(ClusterHome home, int node, Tuning tuning) {
    return """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Node %1$d of %2$d. Every setting that is not here has ActiveMQ's default. -->
        <beans xmlns="http://www.springframework.org/schema/beans"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.springframework.org/schema/beans
                   http://www.springframework.org/schema/beans/spring-beans.xsd
                   http://activemq.apache.org/schema/core
                   http://activemq.apache.org/schema/core/activemq-core.xsd">

          <!-- Both nodes have one name: clients see one broker, wherever it runs. -->
          <broker xmlns="http://activemq.apache.org/schema/core"
                  brokerName="mqproof"
                  dataDirectory="%3$s">

            <!-- By default whoever names a queue creates it, so that a misspelt name loses messages in
                 silence. Here only the administrator does. Everybody may do what a connection does
                 with advisory topics. -->
            <plugins>
              <simpleAuthenticationPlugin>
                <users>
                  <authenticationUser username="%7$s" password="%7$s" groups="users"/>
                  <authenticationUser username="%8$s" password="%8$s" groups="users,admins"/>
                </users>
              </simpleAuthenticationPlugin>
              <authorizationPlugin>
                <map>
                  <authorizationMap>
                    <authorizationEntries>
                      <authorizationEntry queue="&gt;" read="users" write="users" admin="admins"/>
                      <authorizationEntry topic="ActiveMQ.Advisory.&gt;"
                                          read="users" write="users" admin="users"/>
                    </authorizationEntries>
                  </authorizationMap>
                </map>
              </authorizationPlugin>
            </plugins>

            <persistenceAdapter>
              <!-- One store for both nodes, in a directory that both see. Whoever holds the lock
                   on it is active; the kernel frees the lock when that process dies, and only
                   then. There is one copy of each message: replicating it is the file system's
                   part. journalDiskSyncStrategy is ActiveMQ's default, written out because the
                   guarantee rests on it: nothing is confirmed before the journal is on disk. -->
              <kahaDB directory="%4$s" journalDiskSyncStrategy="always">
                <locker>
                  %5$s
                </locker>
              </kahaDB>
            </persistenceAdapter>

            <!-- As in the configuration that ActiveMQ ships. -->
            <systemUsage>
              <systemUsage>
                <memoryUsage>
                  <memoryUsage percentOfJvmHeap="70"/>
                </memoryUsage>
              </systemUsage>
            </systemUsage>

            <!-- One machine, loopback only, the same port for the cluster's life. It is not open
                 while the node waits for the lock. -->
            <transportConnectors>
              <transportConnector name="openwire" uri="tcp://%6$s%9$s"/>
            </transportConnectors>
          </broker>
        </beans>
        """
        .formatted(
            node,
            COUNT,
            Xml.escape(home.directory(node).resolve("data")),
            Xml.escape(home.directory().resolve("shared-store")),
            tuning == Tuning.FAST ? FAST_LOCKER : DEFAULT_LOCKER,
            address(home, node),
            USER,
            ADMIN,
            tuning == Tuning.FAST ? FAST_WIRE_FORMAT : "");
  }
}
