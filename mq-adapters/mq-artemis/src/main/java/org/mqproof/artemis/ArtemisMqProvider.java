package org.mqproof.artemis;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.jms.JmsMq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Apache Artemis 2. A queue is an anycast queue on an address of the same name.
 * Thread-safe.
 *
 * <p>The broker's address settings must say {@code auto-create-queues=false} and {@code
 * auto-create-addresses=false}, for otherwise what is sent to a missing queue is confirmed, and
 * {@code max-delivery-attempts=-1}, for otherwise a message that was given back ten times is moved
 * away or dropped.
 */
public final class ArtemisMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public ArtemisMqProvider() {}

  @Override
  public String name() {
    return "artemis";
  }

  @Override
  public List<Setting<?>> settings() {
    return ArtemisSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    ArtemisSettings checked = new ArtemisSettings(this, Settings.of(this, settings));
    return JmsMq.connect(new ArtemisBroker(checked), checked.shared());
  }
}
