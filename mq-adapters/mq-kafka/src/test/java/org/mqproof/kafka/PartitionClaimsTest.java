package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.MqException;

class PartitionClaimsTest {

  private final PartitionClaims claims =
      new PartitionClaims(new GroupClaims(1, 1), new TopicPartition("q", 0));
  private final List<PendingAck> done = new ArrayList<>();

  private PendingAck ack(long... offsets) {
    PendingAck ack =
        PendingAck.ack(() -> LongStream.of(offsets).mapToObj(claims::outcome).toList());
    long last = -1;
    for (long offset : offsets) {
      assertThat(claims.ack(offset)).isTrue();
      last = Math.max(last, offset);
    }
    claims.await(last, ack);
    return ack;
  }

  @Test
  void anAckGivenDuringACommitWaitsForTheNext() {
    claims.deliver(7, 9);
    PendingAck first = ack(7);
    assertThat(claims.toCommit()).isEqualTo(8);
    PendingAck second = ack(8);
    claims.committed(8, done);
    assertThat(done).containsExactly(first);
    assertThat(claims.toCommit()).isEqualTo(9);
    claims.committed(9, done);
    assertThat(done).containsExactly(first, second);
    assertThat(claims.toCommit()).isEqualTo(-1);
  }

  @Test
  void nothingIsCommittedBeforeTheFirstDeliveryIsAcked() {
    assertThat(claims.toCommit()).isEqualTo(-1);
    claims.deliver(7, 9);
    ack(8, 9);
    assertThat(claims.toCommit()).isEqualTo(-1);
    assertThat(claims.isWhole()).isFalse();
  }

  @Test
  void anAckFailsWithWhatIsKnownOfEachDelivery() {
    claims.deliver(0, 9);
    PendingAck ack = ack(0, 1, 2, 5);
    claims.committed(1, done);
    claims.attempt(2); // its commit has no answer
    claims.end(new MqException("gone"), done);
    assertThat(done).containsExactly(ack);
    ack.complete();
    Throwable failure = ack.future().handle((nothing, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(AckFailedException.class);
    assertThat(((AckFailedException) failure).outcomes())
        .containsExactly(CONFIRMED, UNKNOWN, REJECTED, REJECTED);
  }

  @Test
  void anAckWhoseCommitFailedIsTriedAgain() {
    claims.deliver(0, 9);
    PendingAck first = ack(0, 1);
    claims.commitFailed(2, new MqException("no answer"), done);
    assertThat(done).containsExactly(first);
    assertThat(claims.isClaimed(0)).isFalse();
    assertThat(claims.toCommit()).isEqualTo(2);
    PendingAck again = ack(0, 1);
    claims.committed(2, done);
    assertThat(done).containsExactly(first, again);
  }

  @Test
  void onlyWhatIsDeliveredAndNotAckedIsClaimed() {
    claims.deliver(0, 199);
    ack(0, 2, 150);
    assertThat(claims.isClaimed(0)).isFalse();
    assertThat(claims.isClaimed(1)).isTrue();
    assertThat(claims.isClaimed(2)).isFalse();
    assertThat(claims.isClaimed(150)).isFalse();
    assertThat(claims.isClaimed(151)).isTrue();
    assertThat(claims.isClaimed(199)).isTrue();
    claims.end(new MqException("gone"), done);
    assertThat(claims.isClaimed(1)).isFalse();
  }

  @Test
  void theEndFailsWhatNoCommitCovered() {
    claims.deliver(0, 3);
    ack(0);
    PendingAck beyond = ack(2);
    claims.committed(1, done);
    claims.end(new MqException("gone"), done);
    assertThat(done).hasSize(2).contains(beyond);
    assertThat(claims.ack(0)).as("committed before").isTrue();
    assertThat(claims.ack(1)).isFalse();
    assertThat(claims.toCommit()).isEqualTo(-1);
  }
}
