package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;

class ShareClaimsTest {

  private static final long LONG = Duration.ofMinutes(1).toNanos();

  private static ConsumerRecords<byte[], byte[]> records(int count) {
    List<ConsumerRecord<byte[], byte[]>> records =
        IntStream.range(0, count)
            .mapToObj(i -> new ConsumerRecord<byte[], byte[]>("q", 0, i, null, new byte[0]))
            .toList();
    return new ConsumerRecords<>(Map.of(new TopicPartition("q", 0), records), Map.of());
  }

  @Test
  void whatWaitedTooLongIsReleasedAndNotHandedOut() throws Exception {
    ShareClaims claims = new ShareClaims(0, LONG); // everything is stale at once
    claims.arrived(records(3));
    assertThat(claims.take(10, 0)).isEmpty();
    assertThat(claims.takeExpired()).hasSize(3);
    assertThat(claims.hasAckedToSend()).isTrue();
  }

  @Test
  void whatWasHandedOutIsKeptUntilItsLockEnds() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(3));
    List<Delivery> taken = claims.take(2, 0);
    assertThat(taken).hasSize(2);
    assertThat(claims.takeExpired()).isEmpty();
    assertThat(claims.hasAckedToSend()).isFalse();
    assertThat(claims.ack(taken).isEnded()).isFalse();
    assertThat(claims.takeAcked()).hasSize(2);
  }

  @Test
  void everyClaimEndsWithTheLock() throws Exception {
    Duration lock = Duration.ofMillis(300);
    ShareClaims claims = new ShareClaims(lock.toNanos(), lock.toNanos());
    claims.arrived(records(3));
    assertThat(claims.take(2, 0)).hasSizeLessThanOrEqualTo(2);
    int ended = 0;
    for (long start = System.nanoTime(); ended == 0 && System.nanoTime() - start < LONG; ) {
      Thread.onSpinWait();
      ended = claims.takeExpired().size();
    }
    assertThat(ended).isEqualTo(3);
  }
}
