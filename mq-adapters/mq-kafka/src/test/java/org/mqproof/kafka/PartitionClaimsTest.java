package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.mqproof.MqException;

class PartitionClaimsTest {

  private final PartitionClaims claims =
      new PartitionClaims(new GroupClaims(1, 1), new TopicPartition("q", 0));
  private final List<PendingAck> done = new ArrayList<>();

  private PendingAck ack(long... offsets) {
    PendingAck ack = new PendingAck();
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
