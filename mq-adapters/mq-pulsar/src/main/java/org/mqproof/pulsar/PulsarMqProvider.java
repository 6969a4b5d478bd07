package org.mqproof.pulsar;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Pulsar 4.0 or newer. A queue is a topic that is not partitioned, with one shared
 * subscription, both made when the queue is: a message sent before there is a subscription would be
 * deleted at once.
 *
 * <p>Quorums belong to a namespace in Pulsar, so each mode has a namespace of its own, named after
 * it. There neither a topic nor a subscription comes to be by being used: a topic that came back
 * after its deletion would confirm what nobody will ever receive.
 *
 * <p>Thread-safe.
 */
public final class PulsarMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public PulsarMqProvider() {}

  @Override
  public String name() {
    return "pulsar";
  }

  @Override
  public List<Setting<?>> settings() {
    return PulsarSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return PulsarMq.connect(new PulsarSettings(Settings.of(this, settings)));
  }
}
