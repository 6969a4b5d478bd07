package org.mqproof.cluster.kafka;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * The program of one Kafka node. It formats the storage at the first start and then runs Kafka's
 * own main class in the same JVM: Kafka's tool for formatting would take a second JVM and a second
 * or two per node.
 *
 * <p>Runs from a copy of this one class file before the broker's own jars, so it must use nothing
 * else of this library and have no nested class.
 */
final class KafkaNodeMain {

  /** The name under which the nodes' controllers listen. */
  static final String CONTROLLER_LISTENER = "CONTROLLER";

  private KafkaNodeMain() {}

  /**
   * Waits for a line on the standard input, then formats and runs.
   *
   * @param args the properties file, the storage directory, the node's id, the cluster's id
   * @throws Exception if formatting failed; Kafka's own errors end the JVM
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    Path storage = Path.of(args[1]);
    if (!Files.exists(storage.resolve("meta.properties"))) {
      new Formatter()
          .setPrintStream(System.out)
          .setNodeId(Integer.parseInt(args[2]))
          .setClusterId(args[3])
          .setControllerListenerName(CONTROLLER_LISTENER)
          .setMetadataLogDirectory(storage.toString())
          .addDirectory(storage.toString())
          .run();
    }
    // By name: the class is Scala, and its annotations are not on this library's class path.
    Class.forName("kafka.Kafka")
        .getMethod("main", String[].class)
        .invoke(null, (Object) new String[] {args[0]});
  }
}
