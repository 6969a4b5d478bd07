package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Outcome;

class ShareClaimsTest {

  private static final TopicPartition P = new TopicPartition("q", 0);
  private static final long LONG = Duration.ofMinutes(1).toNanos();

  private static ConsumerRecords<byte[], byte[]> records(int count) {
    List<ConsumerRecord<byte[], byte[]>> records =
        IntStream.range(0, count)
            .mapToObj(i -> new ConsumerRecord<byte[], byte[]>("q", 0, i, null, new byte[0]))
            .toList();
    return new ConsumerRecords<>(Map.of(P, records), Map.of());
  }

  @Test
  void whatWaitedTooLongIsReleasedAndNotHandedOut() throws Exception {
    ShareClaims claims = new ShareClaims(0, LONG); // everything is stale at once
    claims.arrived(records(3), System.nanoTime());
    assertThat(claims.take(10, 0)).isEmpty();
    assertThat(claims.takeExpired()).hasSize(3);
    assertThat(claims.hasAnswersToSend()).isTrue();
  }

  @Test
  void whatWasHandedOutIsKeptUntilItsLockEnds() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(3), System.nanoTime());
    List<Delivery> taken = claims.take(2, 0);
    assertThat(taken).hasSize(2);
    assertThat(claims.takeExpired()).isEmpty();
    assertThat(claims.hasAnswersToSend()).isFalse();
    assertThat(claims.ack(taken).isEnded()).isFalse();
    assertThat(claims.takeAnswers()).hasSize(2);
  }

  private static List<Outcome> outcomes(PendingAck ack) {
    Throwable failure = ack.future().handle((nothing, thrown) -> thrown).getNow(null);
    assertThat(failure).isInstanceOf(AckFailedException.class);
    return ((AckFailedException) failure).outcomes();
  }

  @Test
  void whatIsReleasedIsAnsweredAndItsAckIsLeftOut() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(2), System.nanoTime());
    List<Delivery> taken = claims.take(2, 0);
    PendingAck released = claims.release(taken.subList(0, 1));
    PendingAck acked = claims.ack(taken);
    assertThat(claims.takeAnswers())
        .extracting(ShareClaims.Answer::type)
        .containsExactly(AcknowledgeType.RELEASE, AcknowledgeType.ACCEPT);
    assertThat(released.future()).isNotDone();
    claims.settled(P, Set.of(0L, 1L), null, false);
    assertThat(released.future()).isCompleted();
    assertThat(outcomes(acked)).containsExactly(REJECTED, CONFIRMED);
    assertThat(claims.release(taken).future()).as("nothing to release").isCompleted();
    assertThat(claims.ack(taken.subList(1, 2)).future()).isCompleted();
    assertThat(claims.takeAnswers()).isEmpty();
  }

  @Test
  void anAckOfALockThatHadEndedIsRejectedAndOneWithoutAnswerIsUnknown() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(3), System.nanoTime());
    List<Delivery> taken = claims.take(3, 0);
    PendingAck acked = claims.ack(taken);
    claims.settled(P, Set.of(0L), new MqException("lock ended"), true);
    claims.settled(P, Set.of(1L), new MqException("no answer"), false);
    claims.settled(P, Set.of(2L), null, false);
    assertThat(outcomes(acked)).containsExactly(REJECTED, UNKNOWN, CONFIRMED);
    assertThat(outcomes(claims.ack(taken)))
        .as("the client takes no other ack")
        .containsExactly(REJECTED, UNKNOWN, CONFIRMED);
  }

  @Test
  void twoEqualAcksWaitForOneAnswer() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(1), System.nanoTime());
    List<Delivery> taken = claims.take(1, 0);
    PendingAck first = claims.ack(taken);
    PendingAck second = claims.ack(taken);
    assertThat(claims.takeAnswers()).hasSize(1);
    assertThat(first.future().cancel(true)).isTrue();
    assertThat(second.future()).isNotDone();
    claims.endAll(new MqException("closed"));
    assertThat(outcomes(second)).containsExactly(UNKNOWN);
  }

  @Test
  void anAckWhoseClaimEndedUnansweredIsUnknownWhenTheNextClaimIsAcked() throws Exception {
    ShareClaims claims = new ShareClaims(LONG, LONG);
    claims.arrived(records(1), System.nanoTime());
    PendingAck first = claims.ack(claims.take(1, 0));
    assertThat(claims.takeAnswers()).hasSize(1);
    claims.arrived(records(1), System.nanoTime()); // again: the lock ended before the ack arrived
    List<Delivery> again = claims.take(1, 0);
    PendingAck second = claims.ack(again);
    assertThat(outcomes(first)).containsExactly(UNKNOWN);
    claims.settled(P, Set.of(0L), new MqException("lock ended"), true);
    assertThat(outcomes(second)).as("which of the two had ended?").containsExactly(UNKNOWN);
  }

  @Test
  void everyClaimEndsWithTheLock() throws Exception {
    Duration lock = Duration.ofMillis(300);
    ShareClaims claims = new ShareClaims(lock.toNanos(), lock.toNanos());
    claims.arrived(records(3), System.nanoTime());
    assertThat(claims.take(2, 0)).hasSizeLessThanOrEqualTo(2);
    int ended = 0;
    for (long start = System.nanoTime(); ended == 0 && System.nanoTime() - start < LONG; ) {
      Thread.onSpinWait();
      ended = claims.takeExpired().size();
    }
    assertThat(ended).isEqualTo(3);
  }
}
