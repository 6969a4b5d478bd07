package org.mqproof.kafka;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Apache Kafka 4.0 or newer (share groups: 4.2 or newer). A queue is a topic of the
 * same name. Thread-safe.
 */
public final class KafkaMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public KafkaMqProvider() {}

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public List<Setting<?>> settings() {
    return KafkaSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return KafkaMq.connect(new KafkaSettings(Settings.of(this, settings)));
  }
}
