package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class StampTest {

  private final Stamp stamp = new Stamp();

  @Test
  void whatIsWrittenIsRead() {
    byte[] body = randomBody(100);
    stamp.write(body, -7, 3, 1L << 40, -42);

    assertThat(stamp.isIntact(body)).isTrue();
    assertThat(Stamp.run(body)).isEqualTo(-7);
    assertThat(Stamp.sender(body)).isEqualTo(3);
    assertThat(Stamp.sequence(body)).isEqualTo(1L << 40);
    assertThat(Stamp.timeNanos(body)).isEqualTo(-42);
  }

  @Test
  void theLayoutIsTheDocumentedOne() {
    byte[] body = randomBody(50);
    stamp.write(body, 1, 2, 3, 4);

    ByteBuffer buffer = ByteBuffer.wrap(body);
    CRC32C checksum = new CRC32C();
    checksum.update(body, 4, 46);
    assertThat(buffer.getInt()).isEqualTo((int) checksum.getValue());
    assertThat(buffer.getInt()).isEqualTo(0x4d715072);
    assertThat(buffer.getInt()).isEqualTo(1);
    assertThat(buffer.getInt()).isEqualTo(2);
    assertThat(buffer.getLong()).isEqualTo(3);
    assertThat(buffer.getLong()).isEqualTo(4);
  }

  @Test
  void theRestOfTheBodyIsLeftAlone() {
    byte[] body = randomBody(100);
    byte[] before = body.clone();
    stamp.write(body, 1, 2, 3, 4);

    assertThat(ByteBuffer.wrap(body, 32, 68)).isEqualTo(ByteBuffer.wrap(before, 32, 68));
  }

  @Test
  void everyChangeOfASingleByteIsFound() {
    byte[] body = randomBody(65);
    stamp.write(body, 1, 2, 3, 4);
    for (int position = 0; position < body.length; position++) {
      for (int change = 1; change < 256; change++) {
        body[position] ^= (byte) change;
        assertThat(stamp.isIntact(body)).as("byte %d xor %d", position, change).isFalse();
        body[position] ^= (byte) change;
      }
    }
    assertThat(stamp.isIntact(body)).isTrue();
  }

  @Test
  void bodiesThatNoLedgerStampedAreNotIntact() {
    assertThat(stamp.isIntact(new byte[0])).isFalse();
    assertThat(stamp.isIntact(new byte[31])).isFalse();
    assertThat(stamp.isIntact(new byte[32])).isFalse();
    byte[] body = randomBody(100);
    assertThat(stamp.isIntact(body)).isFalse();
    byte[] withChecksumOnly = randomBody(100);
    CRC32C checksum = new CRC32C();
    checksum.update(withChecksumOnly, 4, 96);
    ByteBuffer.wrap(withChecksumOnly).putInt((int) checksum.getValue());
    assertThat(stamp.isIntact(withChecksumOnly)).isFalse();
  }

  @Test
  void aBodyCutOrExtendedIsNotIntact() {
    byte[] body = randomBody(100);
    stamp.write(body, 1, 2, 3, 4);
    for (int bytes = 0; bytes < 200; bytes++) {
      if (bytes != 100) {
        assertThat(stamp.isIntact(Arrays.copyOf(body, bytes))).as("%d", bytes).isFalse();
      }
    }
  }

  private static byte[] randomBody(int bytes) {
    byte[] body = new byte[bytes];
    new Random(5).nextBytes(body);
    return body;
  }
}
