package org.mqproof.cluster.activemq;

import java.net.URI;
import java.nio.file.Path;
import org.apache.activemq.broker.BrokerFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * The program of one ActiveMQ node: starts the broker of a configuration file as ActiveMQ's own
 * command line does, and says when it serves clients.
 *
 * <p>Runs from a copy of this one class file before the broker's own jars, so it must use nothing
 * else of this library and have no nested class.
 */
final class ActiveMqNodeMain {

  /** Is printed once this node is the active one and its connectors are started. */
  static final String ACTIVE = "mqproof: this node is active";

  /** Is printed when it no longer is; not if it dies. */
  static final String PASSIVE = "mqproof: this node is not active";

  private ActiveMqNodeMain() {}

  /**
   * Waits for a line on the standard input, then runs the broker until it stops.
   *
   * @param args the configuration file
   * @throws Exception if the broker does not start
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    try {
      boolean again = true;
      while (again) {
        // Waits here as long as another node is active.
        BrokerService broker =
            BrokerFactory.createBroker(
                new URI("xbean:file:" + Path.of(args[0]).toUri().getRawPath()));
        if (!broker.waitUntilStarted()) {
          throw new IllegalStateException("the broker stopped before it was started");
        }
        System.out.println(ACTIVE);
        broker.waitUntilStopped();
        System.out.println(PASSIVE);
        again = broker.isRestartRequested(); // by a store that replicates, when it was demoted
      }
      throw new IllegalStateException("the broker stopped, though nobody asked it to");
    } catch (Exception e) {
      e.printStackTrace();
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      System.err.println("this node ends: " + root); // last, where the owner looks
      System.exit(1); // whatever threads the broker has left
    }
  }
}
