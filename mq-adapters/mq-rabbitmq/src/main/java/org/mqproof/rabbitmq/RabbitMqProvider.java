package org.mqproof.rabbitmq;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to RabbitMQ 3.10 or newer (classic mirrored queues: older than 4.0). A queue is a queue
 * of the same name, and messages go to it through the default exchange.
 *
 * <p>A claim has no period of its own, but the broker has one for all: it closes the channel of a
 * receiver that leaves a message unacked for longer than {@code consumer_timeout}, 30 minutes where
 * the cluster's configuration does not say otherwise and the queue was not declared with another
 * ({@code consumer.timeout}). That receiver then fails, and all that it held comes back.
 *
 * <p>Thread-safe.
 */
public final class RabbitMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public RabbitMqProvider() {}

  @Override
  public String name() {
    return "rabbitmq";
  }

  @Override
  public List<Setting<?>> settings() {
    return RabbitSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return RabbitMq.connect(new RabbitSettings(Settings.of(this, settings)));
  }
}
