package org.mqproof.kafka;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.interleavings.Mutant;
import org.mqproof.interleavings.Race;

/** The receiver's thread against the poller's, in many interleavings; and mutants are found. */
@Tag("interleavings")
class InterleavingsTest {

  private static final TopicPartition PARTITION = new TopicPartition("q", 0);

  private static ConsumerRecords<byte[], byte[]> twoRecords() {
    return new ConsumerRecords<>(
        Map.of(
            PARTITION,
            List.of(
                new ConsumerRecord<>("q", 0, 0, new byte[0], new byte[0]),
                new ConsumerRecord<>("q", 0, 1, new byte[0], new byte[0]))),
        Map.of());
  }

  /** Two messages of a consumer group's partition, which is committed and given away. */
  public static final class TwoOfGroup {

    private final GroupClaims claims = new GroupClaims(10, 1_000);
    private final List<Delivery> held;
    private volatile @Nullable PendingAck ack;
    private long committed;

    public TwoOfGroup() throws InterruptedException {
      claims.assign(List.of(PARTITION));
      claims.arrived(twoRecords());
      held = claims.take(2, 0);
    }

    public void ack() {
      ack = claims.ack(held);
    }

    public void commit() {
      Map<TopicPartition, OffsetAndMetadata> offsets = claims.toCommit();
      offsets.values().forEach(offset -> committed = offset.offset());
      claims.committed(offsets);
    }

    public void end() {
      claims.endAll(new MqException("gone"));
    }

    /** The ack has ended, and succeeded only if it was committed. */
    @Validate
    public void balance() {
      end();
      PendingAck given = ack;
      if (given == null || !given.future().isDone()) {
        throw new AssertionError("the ack never ends");
      }
      if (!given.future().isCompletedExceptionally() && committed != 2) {
        throw new AssertionError("acked, and committed only up to " + committed);
      }
    }
  }

  /** Two messages of a share group, whose receiver fails. */
  public static final class TwoOfShare {

    private final ShareClaims claims = new ShareClaims(Long.MAX_VALUE, Long.MAX_VALUE);
    private final List<Delivery> held;
    private volatile @Nullable PendingAck ack;

    public TwoOfShare() throws InterruptedException {
      claims.arrived(twoRecords(), System.nanoTime());
      held = claims.take(2, 0);
    }

    public void ack() {
      ack = claims.ack(held);
    }

    public void end() {
      claims.takeAnswers();
      claims.endAll(new MqException("gone"));
    }

    @Validate
    public void balance() {
      PendingAck given = ack;
      if (given == null || !given.future().isCompletedExceptionally()) {
        throw new AssertionError("an ack that nobody sent has not failed");
      }
    }
  }

  private static final Race GROUP = Race.of(TwoOfGroup.class, "ack", "commit commit end");
  private static final Race SHARE = Race.of(TwoOfShare.class, "ack", "end");

  @Test
  void anAckEndsAndIsCommitted() {
    GROUP.check();
  }

  @Test
  void ackingWithoutTheLockIsFound() {
    GROUP.mustFail(
        Mutant.of(GroupClaims.class)
            .replace(
                "map(GroupClaims::outcome).toList()); lock.lock(); try {",
                "map(GroupClaims::outcome).toList()); try {")
            .replace("return ack; } } finally { lock.unlock(); }", "return ack; } } finally { }"),
        "Validation");
  }

  @Test
  void anAckOfWhatHasEndedFails() {
    SHARE.check();
  }

  @Test
  void ackingWhatNobodySendsIsFound() {
    SHARE.mustFail(
        Mutant.of(ShareClaims.class)
            .replace(
                "if (delivery.state() == ShareDelivery.State.CLAIMED && failure == null) {",
                "if (delivery.state() == ShareDelivery.State.CLAIMED) {"),
        "Validation");
  }
}
