package org.mqproof.activemq;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.jms.JmsMq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Apache ActiveMQ Classic 6. A queue is a queue of the same name. Thread-safe.
 *
 * <p>ActiveMQ creates a queue for whoever sends to it or receives from it, unless its authorization
 * plugin denies that. For a missing queue to be an error the user must not have the broker's admin
 * right for queues; {@code admin.username} needs it.
 *
 * <p>ActiveMQ does not tell a receiver that its queue was deleted: it goes on to receive nothing,
 * even when a queue of the same name is created again, until it is opened anew.
 */
public final class ActiveMqMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public ActiveMqMqProvider() {}

  @Override
  public String name() {
    return "activemq";
  }

  @Override
  public List<Setting<?>> settings() {
    return ActiveMqSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    ActiveMqSettings checked = new ActiveMqSettings(this, Settings.of(this, settings));
    return JmsMq.connect(new ActiveMqBroker(checked), checked.shared());
  }
}
