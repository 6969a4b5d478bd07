package org.mqproof.rocketmq;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.protocol.header.SendMessageRequestHeader;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;

/**
 * How messages get into a topic: as batches, each with one answer for all of its messages, all
 * under way at a time.
 *
 * <p>Thread-safe. Blocks.
 */
final class Sends implements GatheredSends.Store {

  private static final int MOST_MESSAGES = 250;

  /** Bodies in one batch, but for a message that is larger. */
  private static final int MOST_BYTES = 512 << 10;

  /** The library refuses an empty body. */
  private static final String EMPTY = "MQPROOF_EMPTY";

  private static final Set<String> RESERVED = reserved();

  private final Brokers brokers;
  private final String topic;

  Sends(Brokers brokers, String topic) {
    this.brokers = brokers;
    this.topic = topic;
  }

  /** Messages of one batch: from the first to before the end. */
  private record Batch(int first, int end) {}

  private static List<Batch> batches(List<Message> messages) {
    List<Batch> batches = new ArrayList<>();
    int first = 0;
    long bytes = 0;
    for (int i = 0; i < messages.size(); i++) {
      long more = messages.get(i).sizeBytes();
      if (i > first && (i - first == MOST_MESSAGES || bytes + more > MOST_BYTES)) {
        batches.add(new Batch(first, i));
        first = i;
        bytes = 0;
      }
      bytes += more;
    }
    batches.add(new Batch(first, messages.size()));
    return batches;
  }

  /** Sends again what no broker took, while another is about to be the leader. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    List<Batch> batches = batches(messages);
    Map<Batch, Throwable> failures =
        brokers.each(
            batches,
            System.nanoTime() + brokers.settings().stepBound().toNanos(),
            Errors::isNobody,
            (leader, batch, millis) ->
                send(leader, messages.subList(batch.first(), batch.end()), millis));
    Arrays.fill(outcomes, Outcome.CONFIRMED);
    failures.forEach(
        (batch, why) ->
            Arrays.fill(
                outcomes,
                batch.first(),
                batch.end(),
                Errors.isNotStored(why) ? Outcome.REJECTED : Outcome.UNKNOWN));
    return failures.values().stream().findFirst().orElse(null);
  }

  private CompletableFuture<Void> send(String leader, List<Message> messages, long millis) {
    SendMessageRequestHeader header = new SendMessageRequestHeader();
    header.setProducerGroup(Topics.GROUP);
    header.setTopic(topic);
    header.setDefaultTopic(topic); // where there is none, none is made
    header.setDefaultTopicQueueNums(Topics.QUEUES);
    header.setQueueId(ThreadLocalRandom.current().nextInt(Topics.QUEUES));
    header.setSysFlag(0);
    header.setFlag(0);
    header.setBornTimestamp(System.currentTimeMillis());
    header.setReconsumeTimes(0);
    header.setUnitMode(false);
    header.setBatch(true);
    header.setBrokerName(brokers.settings().broker());
    return brokers
        .client()
        .sendMessageAsync(
            leader,
            brokers.settings().broker(),
            messages.stream().map(this::toSend).toList(),
            header,
            millis)
        .thenAccept(Sends::requireStored);
  }

  private static void requireStored(SendResult result) {
    if (result.getSendStatus() != SendStatus.SEND_OK) {
      throw new MqException("the broker says " + result.getSendStatus());
    }
  }

  private org.apache.rocketmq.common.message.Message toSend(Message message) {
    boolean empty = message.body().length == 0;
    org.apache.rocketmq.common.message.Message sent =
        new org.apache.rocketmq.common.message.Message(topic, empty ? new byte[1] : message.body());
    message.headers().forEach((name, value) -> MessageAccessor.putProperty(sent, name, value));
    if (empty) {
      MessageAccessor.putProperty(sent, EMPTY, "1");
    }
    return sent;
  }

  /** The message as it was sent. Leaves out headers of other programs that are not valid. */
  static Message received(MessageExt found) {
    Map<String, String> headers = new HashMap<>();
    found
        .getProperties()
        .forEach(
            (name, value) -> {
              if (!isReserved(name) && Message.isValidHeader(name, value)) {
                headers.put(name, value);
              }
            });
    byte[] body = found.getBody();
    boolean empty = body == null || found.getProperty(EMPTY) != null;
    return new Message(empty ? new byte[0] : body, headers);
  }

  /** Whether RocketMQ, or this adapter, uses a property of that name itself. */
  static boolean isReserved(String name) {
    return RESERVED.contains(name) || name.startsWith("__");
  }

  private static Set<String> reserved() {
    Set<String> names = new HashSet<>(MessageConst.STRING_HASH_SET);
    names.add(EMPTY);
    for (Field field : MessageConst.class.getFields()) { // not all are in the set
      try {
        if (Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof String name) {
          names.add(name);
        }
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("a public field", e);
      }
    }
    return names;
  }
}
