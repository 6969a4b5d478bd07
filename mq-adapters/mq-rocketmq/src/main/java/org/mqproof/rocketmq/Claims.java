package org.mqproof.rocketmq;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.rocketmq.client.consumer.AckResult;
import org.apache.rocketmq.client.consumer.AckStatus;
import org.apache.rocketmq.client.consumer.PopResult;
import org.apache.rocketmq.client.consumer.PopStatus;
import org.apache.rocketmq.common.constant.ConsumeInitMode;
import org.apache.rocketmq.common.filter.ExpressionType;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.header.ChangeInvisibleTimeRequestHeader;
import org.apache.rocketmq.remoting.protocol.header.ExtraInfoUtil;
import org.apache.rocketmq.remoting.protocol.header.PopMessageRequestHeader;
import org.mqproof.MqException;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimAges;
import org.mqproof.support.ClaimingReceiver;

/**
 * The requests of one receiver. A claim pops messages, which hides them for a time.
 *
 * <p>The broker does not say whether the claim had ended that a request acks, extends or releases:
 * {@link ClaimAges} decides.
 *
 * <p>Its methods block. Thread-safe, but for {@link #claim}, which is for one thread at a time.
 */
final class Claims implements ClaimingReceiver.Claims<RocketMqDelivery> {

  /** The broker hands out no more with one request. */
  private static final int MOST_AT_A_TIME = 32;

  /** One claim brings so many; a larger one only keeps others waiting. */
  private static final int MOST_MESSAGES = 256;

  /** Bodies that one claim brings together, beside those of one request. */
  private static final long MOST_BYTES = 16 << 20;

  /** Closing waits so long for a claim under way. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Each request with acks waits for the broker's disk some times. */
  private static final int ACKS_AT_A_TIME = 100;

  /**
   * A change that is refused after so long was not stored within the broker's own 3 s
   * (ChangeInvisibleTimeProcessor of RocketMQ 5.5): the library does not say why one was refused.
   */
  private static final long STORE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The shortest time for which a message can be hidden. */
  private static final long AT_ONCE_MILLIS = 1;

  private final Brokers brokers;
  private final String topic;
  private final String broker;

  /** Whoever uses handles has it: an ack by a handle that is being replaced would ack nothing. */
  private final ReentrantLock handles = new ReentrantLock();

  private final ClaimAges<RocketMqDelivery> ages;
  private final long hiddenMillis;

  /** The broker may store it later. */
  private static final class NotStoredInTime extends MqException {
    private static final long serialVersionUID = 1L;

    private final transient RocketMqDelivery delivery;

    NotStoredInTime(RocketMqDelivery delivery) {
      super("the broker did not store it in time");
      this.delivery = delivery;
    }
  }

  Claims(Brokers brokers, String topic) {
    this.brokers = brokers;
    this.topic = topic;
    broker = brokers.settings().broker();
    ages = new ClaimAges<>(brokers.settings().bounds(), RocketMqDelivery::ageNanos);
    hiddenMillis = brokers.settings().bounds().hidden().toMillis();
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public List<RocketMqDelivery> claim(int max, AckRounds<RocketMqDelivery> owner) throws Exception {
    return claim(max, 0, owner);
  }

  @Override
  public List<RocketMqDelivery> claim(int max, long waitNanos, AckRounds<RocketMqDelivery> owner)
      throws Exception {
    long wait = Math.max(0, Math.min(waitNanos, LONGEST_WAIT_NANOS));
    List<RocketMqDelivery> claimed = new ArrayList<>();
    int most = Math.min(max, MOST_MESSAGES);
    long bytes = 0;
    int asked;
    List<MessageExt> found;
    do {
      asked = Math.min(most - claimed.size(), MOST_AT_A_TIME);
      try {
        found = pop(asked, claimed.isEmpty() ? wait : 0);
      } catch (Exception e) {
        if (claimed.isEmpty()) {
          throw e;
        }
        break; // what the broker has claimed comes again
      }
      for (MessageExt message : found) {
        bytes += message.getStoreSize();
        claimed.add(
            new RocketMqDelivery(
                owner,
                message.getProperty(MessageConst.PROPERTY_POP_CK),
                message.getReconsumeTimes() + 1,
                Sends.received(message)));
      }
    } while (found.size() == asked && claimed.size() < most && bytes < MOST_BYTES);
    return claimed;
  }

  /** The claim has waited. */
  @Override
  public void awaitNews(long since, long pauseNanos, long leftNanos) {}

  private List<MessageExt> pop(int most, long waitNanos) throws Exception {
    PopMessageRequestHeader header = new PopMessageRequestHeader();
    header.setConsumerGroup(Topics.GROUP);
    header.setTopic(topic);
    header.setQueueId(-1); // any
    header.setMaxMsgNums(most);
    header.setInvisibleTime(hiddenMillis);
    header.setPollTime(TimeUnit.NANOSECONDS.toMillis(waitNanos));
    header.setInitMode(ConsumeInitMode.MIN);
    header.setExpType(ExpressionType.TAG);
    header.setExp("*");
    header.setOrder(false);
    PopResult result =
        brokers.ask(
            (client, leader, millis) ->
                client
                    .popMessageAsync(leader, broker, header, header.getPollTime() + millis)
                    .get(2 * millis + header.getPollTime(), TimeUnit.MILLISECONDS));
    return result.getPopStatus() == PopStatus.FOUND ? result.getMsgFoundList() : List.of();
  }

  /** Settles what its claim still hides. */
  @Override
  public Set<RocketMqDelivery> settle(Collection<RocketMqDelivery> deliveries) {
    return locked(() -> settleNow(deliveries));
  }

  private Set<RocketMqDelivery> settleNow(Collection<RocketMqDelivery> deliveries) {
    Set<RocketMqDelivery> ended = ages.tooOldToAck(deliveries);
    List<RocketMqDelivery> left = ClaimAges.without(ended, deliveries);
    List<List<RocketMqDelivery>> parts = new ArrayList<>();
    for (int i = 0; i < left.size(); i += ACKS_AT_A_TIME) {
      parts.add(left.subList(i, Math.min(left.size(), i + ACKS_AT_A_TIME)));
    }
    Map<List<RocketMqDelivery>, Throwable> failures =
        ask(
            parts,
            why -> Errors.isNobody(why) || why instanceof RemotingException, // twice is harmless
            this::ack);
    Set<RocketMqDelivery> unknown = new HashSet<>();
    failures.keySet().forEach(unknown::addAll);
    ClaimAges.without(unknown, left).forEach(RocketMqDelivery::done);
    for (Throwable why : failures.values()) {
      throw new AckRounds.PartlySettled(
          "%s: not every ack was confirmed: %s"
              .formatted(brokers.settings().endpoint(), Errors.reason(why)),
          ended,
          unknown,
          why);
    }
    return ended;
  }

  private <T> T locked(Supplier<T> task) {
    handles.lock();
    try {
      return task.get();
    } finally {
      handles.unlock();
    }
  }

  private CompletableFuture<AckResult> ack(
      String leader, List<RocketMqDelivery> deliveries, long millis) {
    return brokers
        .client()
        .batchAckMessageAsync(
            leader,
            topic,
            Topics.GROUP,
            deliveries.stream().map(RocketMqDelivery::handle).toList(),
            millis)
        .thenApply(Claims::requireDone);
  }

  @Override
  public boolean free(Collection<RocketMqDelivery> deliveries) {
    List<RocketMqDelivery> left = ClaimAges.without(ages.over(deliveries), deliveries);
    return locked(
        () -> {
          change(left, AT_ONCE_MILLIS);
          left.forEach(RocketMqDelivery::done);
          return !left.isEmpty();
        });
  }

  @Override
  public Set<RocketMqDelivery> extend(Collection<RocketMqDelivery> deliveries) {
    Set<RocketMqDelivery> ended = ages.over(deliveries);
    List<RocketMqDelivery> left = ClaimAges.without(ended, deliveries);
    return locked(
        () -> {
          change(left.stream().filter(delivery -> !delivery.isDone()).toList(), hiddenMillis);
          return ended;
        });
  }

  /**
   * Makes claims end at another time: each becomes another claim. What the broker did not store in
   * time is asked for once more; if it stores both later, the message is delivered twice.
   */
  private void change(List<RocketMqDelivery> deliveries, long forMillis) {
    Set<RocketMqDelivery> repeated = new HashSet<>();
    Map<List<RocketMqDelivery>, Throwable> failures =
        ask(
            deliveries.stream().map(List::of).toList(),
            why ->
                Errors.isNobody(why)
                    || (why instanceof NotStoredInTime slow && repeated.add(slow.delivery)),
            (leader, one, millis) -> change(leader, one.get(0), forMillis, millis));
    for (Throwable why : failures.values()) {
      throw new MqException(Errors.reason(why), why);
    }
  }

  private CompletableFuture<AckResult> change(
      String leader, RocketMqDelivery delivery, long forMillis, long millis) {
    String handle = delivery.handle();
    String[] parts = ExtraInfoUtil.split(handle);
    ChangeInvisibleTimeRequestHeader header = new ChangeInvisibleTimeRequestHeader();
    header.setConsumerGroup(Topics.GROUP);
    header.setTopic(ExtraInfoUtil.getRealTopic(parts, topic, Topics.GROUP));
    header.setQueueId(ExtraInfoUtil.getQueueId(parts));
    header.setOffset(ExtraInfoUtil.getQueueOffset(parts));
    header.setExtraInfo(handle);
    header.setInvisibleTime(forMillis);
    long since = System.nanoTime();
    return brokers
        .client()
        .changeInvisibleTimeAsync(leader, broker, header, millis)
        .thenApply(
            result -> {
              if (result.getStatus() != AckStatus.OK && System.nanoTime() - since > STORE_NANOS) {
                throw new NotStoredInTime(delivery);
              }
              delivery.extended(requireDone(result).getExtraInfo(), since);
              return result;
            });
  }

  /** Makes one request for each part, while no claim can have ended. */
  private Map<List<RocketMqDelivery>, Throwable> ask(
      List<List<RocketMqDelivery>> parts,
      Predicate<Throwable> mayRepeat,
      Brokers.Request<List<RocketMqDelivery>> request) {
    List<RocketMqDelivery> deliveries = parts.stream().flatMap(List::stream).toList();
    return brokers.each(parts, ages.deadlineNanos(deliveries), mayRepeat, request);
  }

  private static AckResult requireDone(AckResult result) {
    if (result.getStatus() != AckStatus.OK) {
      throw new MqException("the broker refused");
    }
    return result;
  }
}
