package org.mqproof.rocketmq;

import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.MessageLimits;

/** Queues of the brokers of one name. Thread-safe. */
final class RocketMqMq extends ClaimingMq<String, RocketMqDelivery> {

  private final Brokers brokers;
  private final Topics topics;
  private final Traits traits;

  private RocketMqMq(RocketMqSettings settings, Brokers brokers, Traits traits) {
    super(
        "rocketmq",
        settings.endpoint(),
        brokers.calls(),
        settings.bounds(),
        RocketMqDelivery.class);
    this.brokers = brokers;
    this.traits = traits;
    topics = new Topics(brokers);
  }

  static RocketMqMq connect(RocketMqSettings settings) {
    Brokers brokers = new Brokers(settings);
    try {
      BrokerPromise promise = brokers.calls().call("connect", () -> brokers.ask(BrokerPromise::of));
      promise.require(settings);
      return new RocketMqMq(settings, brokers, settings.traits(promise));
    } catch (MqException | IllegalArgumentException e) {
      brokers.close();
      throw e;
    }
  }

  @Override
  protected void create(String queue) throws Exception {
    topics.create(queue);
  }

  @Override
  protected void delete(String queue) throws Exception {
    topics.delete(queue);
  }

  @Override
  protected String find(String queue) throws Exception {
    return topics.get(queue);
  }

  @Override
  protected GatheredSends.Store store(String topic) {
    return new Sends(brokers, topic);
  }

  @Override
  protected ClaimingReceiver.Claims<RocketMqDelivery> claims(String topic) {
    return new Claims(brokers, topic);
  }

  @Override
  protected MessageLimits limits() {
    return MessageLimits.of(traits, Sends::isReserved);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  protected void closeConnections() {
    brokers.close();
  }
}
