package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AckedPrefixTest {

  @Test
  void acksInOrderMoveThePrefixOneByOne() {
    AckedPrefix prefix = new AckedPrefix(100);
    prefix.deliver(100, 299);
    for (long offset = 100; offset < 300; offset++) {
      assertThat(prefix.isWhole()).isFalse();
      prefix.ack(offset);
      assertThat(prefix.prefix()).isEqualTo(offset + 1);
    }
    assertThat(prefix.isWhole()).isTrue();
  }

  @Test
  void aHoleHoldsThePrefixBack() {
    AckedPrefix prefix = new AckedPrefix(0);
    prefix.deliver(0, 1_000_000);
    for (long offset = 1; offset <= 1_000_000; offset++) {
      prefix.ack(offset);
    }
    assertThat(prefix.prefix()).isZero();
    prefix.ack(0);
    assertThat(prefix.prefix()).isEqualTo(1_000_001);
  }

  @Test
  void offsetsThatTheLogLeftOutCountAsAcked() {
    AckedPrefix prefix = new AckedPrefix(10);
    prefix.deliver(10, 10);
    prefix.deliver(15, 15);
    prefix.ack(10);
    assertThat(prefix.prefix()).isEqualTo(15);
    assertThat(prefix.isWhole()).isFalse();
    prefix.ack(15);
    assertThat(prefix.isWhole()).isTrue();
  }

  @Test
  void ackingTwiceChangesNothing() {
    AckedPrefix prefix = new AckedPrefix(0);
    prefix.deliver(0, 2);
    prefix.ack(1);
    prefix.ack(1);
    prefix.ack(0);
    prefix.ack(0);
    assertThat(prefix.prefix()).isEqualTo(2);
  }

  @Test
  void whatWasNotDeliveredCannotBeAcked() {
    AckedPrefix prefix = new AckedPrefix(0);
    prefix.deliver(0, 2);
    assertThatIllegalArgumentException().isThrownBy(() -> prefix.ack(3));
    assertThatIllegalArgumentException().isThrownBy(() -> prefix.deliver(2, 5));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void agreesWithASortedSet(long seed) {
    Random random = new Random(seed);
    long next = random.nextInt(1_000);
    AckedPrefix prefix = new AckedPrefix(next);
    TreeSet<Long> unacked = new TreeSet<>();
    for (int step = 0; step < 20_000; step++) {
      if (unacked.isEmpty() || (unacked.size() < 700 && random.nextInt(10) == 0)) {
        long first = next + (random.nextInt(4) == 0 ? random.nextInt(100) : 0);
        long last = first + random.nextInt(150);
        prefix.deliver(first, last);
        for (long offset = first; offset <= last; offset++) {
          unacked.add(offset);
        }
        next = last + 1;
      } else {
        // Mostly near the front, sometimes anywhere.
        int reach = random.nextInt(3) == 0 ? unacked.size() : Math.min(unacked.size(), 5);
        long offset = new ArrayList<>(unacked).get(random.nextInt(reach));
        unacked.remove(offset);
        prefix.ack(offset);
      }
      assertThat(prefix.prefix()).isEqualTo(unacked.isEmpty() ? next : unacked.first());
      assertThat(prefix.isWhole()).isEqualTo(unacked.isEmpty());
    }
  }
}
