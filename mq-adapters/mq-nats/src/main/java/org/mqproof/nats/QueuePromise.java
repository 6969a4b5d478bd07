package org.mqproof.nats;

import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.PersistMode;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a stream or a consumer would do against what the settings promise. No state. */
final class QueuePromise {

  private QueuePromise() {}

  /** Each as "setting is value, must be ..."; empty if the promise can be kept. */
  static List<String> broken(
      NatsSettings settings, StreamConfiguration stream, ConsumerConfiguration consumer) {
    List<String> broken = new ArrayList<>();
    requireStream(broken, settings, stream);
    requireConsumer(broken, settings, consumer);
    return broken;
  }

  private static void requireStream(
      List<String> broken, NatsSettings settings, StreamConfiguration stream) {
    require(broken, "retention", stream.getRetentionPolicy(), RetentionPolicy.WorkQueue);
    require(broken, "storage", stream.getStorageType(), StorageType.File);
    int replicas = settings.get(NatsSettings.REPLICAS);
    if (stream.getReplicas() < replicas) {
      broken.add(
          "num_replicas is %d, must be at least %d".formatted(stream.getReplicas(), replicas));
    }
    requireUnlimited(broken, "max_msgs", stream.getMaxMsgs());
    requireUnlimited(broken, "max_msgs_per_subject", stream.getMaxMsgsPerSubject());
    requireUnlimited(broken, "max_bytes", stream.getMaxBytes());
    requireUnlimited(broken, "max_msg_size", stream.getMaximumMessageSize());
    if (isPositive(stream.getMaxAge())) {
      broken.add("max_age is %s, must be 0".formatted(text(stream.getMaxAge())));
    }
    require(broken, "discard", stream.getDiscardPolicy(), DiscardPolicy.New);
    require(broken, "no_ack", stream.getNoAck(), false);
    if (stream.getPersistMode() == PersistMode.Async) {
      broken.add("persist_mode is async, must be default");
    }
    require(broken, "sealed", stream.getSealed(), false);
    require(broken, "number of subjects", stream.getSubjects().size(), 1);
  }

  private static void requireConsumer(
      List<String> broken, NatsSettings settings, ConsumerConfiguration consumer) {
    require(broken, "ack_policy", consumer.getAckPolicy(), AckPolicy.Explicit);
    require(broken, "deliver_subject", consumer.getDeliverSubject(), null);
    Duration hidden = settings.bounds().hidden();
    if (!hidden.equals(consumer.getAckWait())) {
      broken.add(
          "ack_wait is %s, must be %s for claim.period=%s"
              .formatted(
                  text(consumer.getAckWait()),
                  text(hidden),
                  text(settings.get(NatsSettings.CLAIM_PERIOD))));
    }
    require(broken, "number of backoffs", consumer.getBackoff().size(), 0);
    requireUnlimited(broken, "max_deliver", consumer.getMaxDeliver());
    int most = settings.get(NatsSettings.MAX_ACK_PENDING);
    if (consumer.getMaxAckPending() < 1 || consumer.getMaxAckPending() > most) {
      broken.add(
          "max_ack_pending is %d, must be from 1 to %d"
              .formatted(consumer.getMaxAckPending(), most));
    }
    if (isPositive(consumer.getInactiveThreshold())) {
      broken.add(
          "inactive_threshold is %s, must be 0".formatted(text(consumer.getInactiveThreshold())));
    }
    if (consumer.getDurable() == null) {
      broken.add("durable_name is not set, must be set");
    }
  }

  private static void require(
      List<String> broken, String name, @Nullable Object value, @Nullable Object mustBe) {
    if (!Objects.equals(value, mustBe)) {
      broken.add("%s is %s, must be %s".formatted(name, value, mustBe));
    }
  }

  private static void requireUnlimited(List<String> broken, String name, long value) {
    if (value > 0) {
      broken.add("%s is %d, must be -1".formatted(name, value));
    }
  }

  private static boolean isPositive(@Nullable Duration duration) {
    return duration != null && duration.compareTo(Duration.ZERO) > 0;
  }

  private static String text(@Nullable Duration duration) {
    return duration == null ? "not set" : duration.toMillis() + " ms";
  }
}
