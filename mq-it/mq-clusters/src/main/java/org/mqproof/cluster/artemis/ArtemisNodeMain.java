package org.mqproof.cluster.artemis;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.server.ActivateCallback;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;
import org.mqproof.cluster.Access;

/**
 * The program of one Artemis node: runs the broker of a configuration file, and says whenever it
 * becomes active or ceases to be.
 *
 * <p>Runs from a copy of this one class file before the broker's own jars, so it must use nothing
 * else of this library and have no nested class. Thread-safe: no state.
 */
final class ArtemisNodeMain implements ActivateCallback {

  /** Is printed once this node serves clients, before the time in milliseconds. */
  static final String ACTIVE = "mqproof: this node is active since ";

  /** Is printed when it no longer does. */
  static final String PASSIVE = "mqproof: this node is not active";

  /** What every user is but {@link Access#LEAST_USER}, whose role has that name as well. */
  static final String ROLE = "users";

  private ArtemisNodeMain() {}

  /**
   * Waits for a line on the standard input, then runs the broker for good.
   *
   * @param args the configuration file, and, if clients must say who they are, a properties file of
   *     users and their passwords
   * @throws Exception if the broker does not start
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    try {
      EmbeddedActiveMQ broker =
          new EmbeddedActiveMQ().setConfigResourcePath(Path.of(args[0]).toUri().toString());
      if (args.length > 1) {
        broker.setSecurityManager(users(Path.of(args[1])));
      }
      broker.createActiveMQServer();
      broker.getActiveMQServer().registerActivateCallback(new ArtemisNodeMain());
      broker.getActiveMQServer().registerActivationFailureListener(ArtemisNodeMain::end);
      broker.start();
    } catch (Exception e) {
      end(e);
    }
    new CountDownLatch(1).await(); // a node that is no longer in sync stops and starts its broker
  }

  private static ActiveMQSecurityManager users(Path file) throws IOException {
    Properties users = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      users.load(reader);
    }
    SecurityConfiguration configuration = new SecurityConfiguration();
    for (String user : users.stringPropertyNames()) {
      configuration.addUser(user, users.getProperty(user));
      // A constant, of which the compiler leaves nothing but the text.
      configuration.addRole(user, user.equals(Access.LEAST_USER) ? user : ROLE);
    }
    return new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), configuration);
  }

  private static void end(Exception e) {
    e.printStackTrace();
    System.err.println("this node ends: " + e); // last, where the owner looks
    Runtime.getRuntime().halt(1); // an orderly exit would wait for the thread that is here
  }

  @Override
  public void activationComplete() {
    System.out.println(ACTIVE + System.currentTimeMillis());
  }

  @Override
  public void preDeActivate() {
    System.out.println(PASSIVE);
  }
}
