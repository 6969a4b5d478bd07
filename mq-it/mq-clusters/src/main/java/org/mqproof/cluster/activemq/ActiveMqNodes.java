package org.mqproof.cluster.activemq;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProgram;
import org.mqproof.cluster.process.Xml;
import org.mqproof.cluster.security.Security;

/**
 * How the nodes of an ActiveMQ cluster are configured and started, whatever store they keep
 * messages in. Thread-safe: no state.
 */
final class ActiveMqNodes {

  /** Name and password of who sends and receives. */
  static final String USER = "mqproof";

  /** Name and password of who also creates and deletes queues. */
  static final String ADMIN = "mqproof-admin";

  /** Where ActiveMQ is in its official image. */
  private static final String HOME_IN_CONTAINER = "/opt/apache-activemq";

  /** The options of ActiveMQ's own start script. */
  private static final List<String> DEFAULT_JVM_OPTIONS = List.of("-Xms64m", "-Xmx1g");

  /** Less work for the compiler and the collector. */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** A silent client is taken for dead after 5 s instead of 30 s, for tests. */
  private static final String FAST_WIRE_FORMAT = "wireFormat.maxInactivityDuration=5000";

  private ActiveMqNodes() {}

  /**
   * What the nodes keep messages in.
   *
   * @param nodes how many there are
   * @param jvmOptions what it needs beyond the options of ActiveMQ's own start script
   * @param xml the element of the configuration
   */
  record Store(int nodes, List<String> jvmOptions, StoreXml xml) {}

  /** Writes a store's element of a node's configuration. */
  interface StoreXml {
    String of(ClusterHome home, int node, Tuning tuning);
  }

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Store store, Tuning tuning)
      throws IOException {
    NodeProgram program = NodeProgram.of(ActiveMqNodeMain.class.getName(), jars);
    for (int node = 1; node <= store.nodes(); node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path xml = directory.resolve("activemq.xml");
      String text = xml(home, node, store, tuning);
      Optional<Security> security =
          store.equals(ActiveMqKahaDb.STORE) ? home.security(store.nodes()) : Optional.empty();
      if (security.isPresent()) {
        text = secured(text, home, node, tuning, security.orElseThrow());
      }
      Files.writeString(xml, text, StandardCharsets.UTF_8);
      List<String> options = new ArrayList<>(jvmOptions(tuning));
      options.addAll(store.jvmOptions());
      home.add(program, options, List.of(xml.toString()));
    }
  }

  /**
   * Adds the nodes as containers, without starting them.
   *
   * @param image with its tag, laid out as {@code apache/activemq-classic} is
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, String image, Tuning tuning) throws IOException {
    Store store = ActiveMqKahaDb.STORE_IN_CONTAINERS;
    Containers containers = Containers.in(home, store.nodes());
    Containers.Shared shared =
        Containers.Shared.make(
            ActiveMqKahaDb.directory(home), ActiveMqKahaDb.DIRECTORY_IN_CONTAINER);
    for (int node = 1; node <= store.nodes(); node++) {
      Path xml = Files.createDirectories(home.directory(node)).resolve("activemq.xml");
      Files.writeString(
          xml, xml(home, node, store, tuning, "0.0.0.0", Path.of(HOME_IN_CONTAINER, "data")));
      containers.add(
          image,
          Map.of("ACTIVEMQ_OPTS_MEMORY", String.join(" ", jvmOptions(tuning))),
          List.of(Containers.Copy.readable(xml, HOME_IN_CONTAINER + "/conf/activemq.xml")),
          List.of(shared),
          home.port(node));
    }
  }

  private static List<String> jvmOptions(Tuning tuning) {
    return tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS;
  }

  private static String connectorOptions(Tuning tuning) {
    List<String> options = new ArrayList<>();
    if (tuning == Tuning.FAST) {
      options.add(FAST_WIRE_FORMAT);
    }
    Integer buffer = Integer.getInteger(ActiveMqClusterProvider.SOCKET_BUFFER_PROPERTY);
    if (buffer != null) {
      options.add("transport.socketBufferSize=" + buffer);
    }
    return options.isEmpty() ? "" : "?" + String.join("&amp;", options);
  }

  static String address(ClusterHome home, int node) {
    return home.host(node) + ":" + home.port(node);
  }

  /** The addresses of so many nodes, separated by commas. */
  static String addresses(ClusterHome home, int nodes) {
    return home.addresses(nodes, home::port);
  }

  /** What a client needs to know of a cluster, whatever its store. */
  static Map<String, String> settings(String addresses) {
    return Map.of(
        "addresses", addresses,
        "username", USER,
        "password", USER,
        "admin.username", ADMIN,
        "admin.password", ADMIN);
  }

  /** Where clients find so many nodes with TLS. */
  static String addresses(ClusterHome home, int nodes, Access access) {
    return home.addresses(nodes, node -> securedPort(home, node, access));
  }

  private static int securedPort(ClusterHome home, int node, Access access) {
    return home.port((access == Access.CERTIFICATE ? 10 : 12) + node);
  }

  /** A node's configuration with connectors for clients that TLS protects. */
  private static String secured(
      String plain, ClusterHome home, int node, Tuning tuning, Security security) {
    String options = connectorOptions(tuning);
    String context =
        """
            <!-- Clients come with TLS and a password: to one connector with a certificate as well, which
                 names nobody. The connector without TLS is for the cluster itself. -->
            <sslContext>
              <sslContext keyStore="file:%1$s" keyStoreType="PKCS12" keyStorePassword="%3$s"
                          trustStore="file:%2$s" trustStoreType="PKCS12" trustStorePassword="%3$s"/>
            </sslContext>

            <transportConnectors>
              <transportConnector name="certificate" uri="ssl://%4$s:%5$d%7$stransport.needClientAuth=true"/>
              <transportConnector name="password" uri="ssl://%4$s:%6$d%8$s"/>
        """
            .formatted(
                Xml.escape(security.node().store()),
                Xml.escape(security.authority().trustStore()),
                security.authority().storePassword(),
                home.host(node),
                securedPort(home, node, Access.CERTIFICATE),
                securedPort(home, node, Access.PASSWORD),
                options.isEmpty() ? "?" : options + "&amp;",
                options);
    return plain.replace("    <transportConnectors>\n", context);
  }

  /** Everything that is not ActiveMQ's default, so that a reviewer needs nothing but this file. */
  static String xml(ClusterHome home, int node, Store store, Tuning tuning) {
    return xml(home, node, store, tuning, home.host(node), home.directory(node).resolve("data"));
  }

  private static String xml(
      ClusterHome home, int node, Store store, Tuning tuning, String host, Path data) {
    return """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Node %1$d of %2$d. Every setting that is not here has ActiveMQ's default. -->
        <beans xmlns="http://www.springframework.org/schema/beans"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.springframework.org/schema/beans
                   http://www.springframework.org/schema/beans/spring-beans.xsd
                   http://activemq.apache.org/schema/core
                   http://activemq.apache.org/schema/core/activemq-core.xsd">

          <!-- All nodes have one name: clients see one broker, wherever it runs. -->
          <broker xmlns="http://activemq.apache.org/schema/core"
                  brokerName="mqproof"
                  dataDirectory="%3$s">

            <!-- By default whoever names a queue creates it, so that a misspelt name loses messages in
                 silence. Here only the administrator does. Everybody may do what a connection does
                 with advisory topics. -->
            <plugins>
              <simpleAuthenticationPlugin>
                <users>
                  <authenticationUser username="%6$s" password="%6$s" groups="users"/>
                  <authenticationUser username="%7$s" password="%7$s" groups="users,admins"/>
                  <authenticationUser username="%10$s" password="%10$s" groups="%10$s"/>
                </users>
              </simpleAuthenticationPlugin>
              <authorizationPlugin>
                <map>
                  <authorizationMap>
                    <authorizationEntries>
                      <authorizationEntry queue="&gt;" read="users" write="users" admin="admins"/>
                      <authorizationEntry queue="%11$s" read="%10$s" write="%10$s" admin="admins"/>
                      <authorizationEntry topic="ActiveMQ.Advisory.&gt;"
                                          read="users,%10$s" write="users,%10$s" admin="users,%10$s"/>
                    </authorizationEntries>
                  </authorizationMap>
                </map>
              </authorizationPlugin>
            </plugins>

            <persistenceAdapter>
        %4$s
            </persistenceAdapter>

            <!-- As in the configuration that ActiveMQ ships. -->
            <systemUsage>
              <systemUsage>
                <memoryUsage>
                  <memoryUsage percentOfJvmHeap="70"/>
                </memoryUsage>
              </systemUsage>
            </systemUsage>

            <!-- One machine, seen by nobody else, the same port for the cluster's life. It is not open
                 while the node waits to become active. -->
            <transportConnectors>
              <transportConnector name="openwire" uri="tcp://%5$s:%9$d%8$s"/>
            </transportConnectors>
          </broker>
        </beans>
        """
        .formatted(
            node,
            store.nodes(),
            Xml.escape(data),
            store.xml().of(home, node, tuning).stripTrailing(),
            host,
            USER,
            ADMIN,
            connectorOptions(tuning),
            home.port(node),
            Access.LEAST_USER,
            Access.LEAST_QUEUE);
  }
}
