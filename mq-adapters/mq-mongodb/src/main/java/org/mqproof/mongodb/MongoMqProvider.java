package org.mqproof.mongodb;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to a replica set of MongoDB 5.0 or newer. A queue is a collection with one document per
 * message; the collection {@code queues} of the same database says which.
 *
 * <p>A receiver claims a message by an update that takes effect only while nobody else holds it,
 * and that makes it hidden until a moment on the primary's clock. No client's clock decides what is
 * hidden. After a fail-over the clock of another node does: a claim then ends sooner or later by as
 * much as the nodes' clocks differ.
 *
 * <p>With write concern <em>majority</em> a message is delivered only after its claim, and by that
 * the message itself, is on most nodes: what was delivered is never rolled back, and neither is an
 * ack that completed. With <em>w1</em> the loss of the primary may take along what only it had:
 * messages are then lost, and claims and acks forgotten.
 *
 * <p>Thread-safe.
 */
public final class MongoMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public MongoMqProvider() {}

  @Override
  public String name() {
    return "mongodb";
  }

  @Override
  public List<Setting<?>> settings() {
    return MongoSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return MongoMq.connect(new MongoSettings(Settings.of(this, settings)));
  }
}
