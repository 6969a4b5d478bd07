package org.mqproof.valkey;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Valkey 7.2 or newer: a primary and its replicas, without Valkey Cluster. A queue is
 * the stream {@code mqproof:queue:NAME} with the consumer group {@code mqproof}, in database 0. A
 * receiver is a consumer of a name of its own; what it releases goes to the consumer {@code
 * released}, from which others take it.
 *
 * <p><strong>This is no consensus.</strong> Replication is asynchronous. A confirm waits for
 * replicas, by {@code WAIT} until they have the message in memory, by {@code WAITAOF} until the
 * primary and they have it on their disks; too few in time, and the result is unknown. Nothing
 * makes the servers promote a replica that has what was confirmed: that rests on whoever promotes.
 * With {@code wait.replicas} below the number of replicas he must stop what they receive, ask
 * <em>every</em> replica for its offset, and promote the one that is furthest. Sentinel asks those
 * that it reaches. A primary that was cut off takes messages for as long as {@code
 * min-replicas-max-lag} allows; it confirms none of them.
 *
 * <p>An ack removes the message and is confirmed in the same way. A claim that was made, extended
 * or released is known to the primary, and to replicas a moment later. Claims end on the primary's
 * clock; after a fail-over they end sooner or later by as much as the nodes' clocks differ.
 *
 * <p>Thread-safe.
 */
public final class ValkeyMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public ValkeyMqProvider() {}

  @Override
  public String name() {
    return "valkey";
  }

  @Override
  public List<Setting<?>> settings() {
    return ValkeySettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return ValkeyMq.connect(new ValkeySettings(Settings.of(this, settings)));
  }
}
