package org.mqproof.rocketmq;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to the brokers of one name of a RocketMQ 5.5 cluster in controller mode. A queue is a
 * topic of these brokers, with a number behind its name that grows whenever the queue is made
 * again, and all receivers are the consumer group {@code mqproof}, which pops.
 *
 * <p>A message is confirmed when every replica in sync has it, of which there must be at least as
 * many as the brokers' {@code minInSyncReplicas} says, and with {@code flush=sync} when the leader
 * has it on its disk. Only a replica in sync becomes the leader.
 *
 * <p>A claim is a message of its own on the brokers' disks, as an ack is, and so are they still
 * known after a fail-over. A broker looks for claims that have ended about once a second, and a
 * released message comes back some seconds later. A broker also says that it has an ack when it
 * could not store it: then the message comes again.
 *
 * <p>RocketMQ deletes every message after its {@code fileReservedTime}, read or not; {@link
 * org.mqproof.Traits#retention()} tells it. The number of deliveries has no limit.
 *
 * <p>Thread-safe.
 */
public final class RocketMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public RocketMqProvider() {}

  @Override
  public String name() {
    return "rocketmq";
  }

  @Override
  public List<Setting<?>> settings() {
    return RocketMqSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return RocketMqMq.connect(new RocketMqSettings(Settings.of(this, settings)));
  }
}
