package org.mqproof.nats;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to NATS 2.12 or newer with JetStream. A queue is a stream with work-queue retention,
 * file storage and no limits, one subject, and one durable pull consumer that every receiver
 * shares.
 *
 * <p>A message is confirmed when most of its replicas have it. Whether they have it on disk is the
 * servers' affair: with the default {@code sync_interval} they sync every two minutes, and a power
 * cut of all of them loses what was confirmed since; only {@code sync_interval: always} awaits the
 * disk. A client cannot ask for the setting, so the traits promise nothing for a power cut.
 *
 * <p>An ack is confirmed by most replicas of the consumer as well, and removes the message. A claim
 * that was extended or released is known to the consumer's leader only: if that dies right
 * afterwards, the claim ends with the period that it had.
 *
 * <p>The library's own reconnecting is off. A lost connection ends every request that is under way,
 * with an unknown result, and the next request connects anew: nothing is sent twice unless it
 * certainly was not stored.
 *
 * <p>Thread-safe.
 */
public final class NatsMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public NatsMqProvider() {}

  @Override
  public String name() {
    return "nats";
  }

  @Override
  public List<Setting<?>> settings() {
    return NatsSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return NatsMq.connect(new NatsSettings(Settings.of(this, settings)));
  }
}
