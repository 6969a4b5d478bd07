package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {

  private static final int BUFFER = 8;

  private final Inbox inbox = new Inbox(new ByteArrayInputStream(new byte[3 * BUFFER]));
  private final List<String> handedOver = new ArrayList<>();

  private void gather(String what) {
    inbox.handOverBeforeRead(
        () -> {
          handedOver.add(what);
          return 1;
        });
  }

  @Test
  void whatHasGatheredIsHandedOverBeforeTheSocketIsRead() throws Exception {
    try (DataInputStream client = new DataInputStream(new BufferedInputStream(inbox, BUFFER))) {
      client.readInt();
      gather("first");
      client.readInt();
      gather("second");
      assertThat(handedOver).as("while the buffer has more").isEmpty();

      client.readByte();

      assertThat(handedOver).containsExactly("first", "second");
    }
  }

  @Test
  void nothingWaitsForTheRestOfAFrame() throws Exception {
    try (DataInputStream client = new DataInputStream(new BufferedInputStream(inbox, BUFFER))) {
      client.readInt();
      gather("complete");
      client.readFully(new byte[BUFFER]); // four bytes of it are there
      assertThat(handedOver).containsExactly("complete");
    }
  }

  @Test
  void isHandedOverOnce() throws Exception {
    try (InputStream client = inbox) {
      gather("only");
      assertThat(client.read()).isZero();
      assertThat(client.read()).isZero();
      assertThat(handedOver).containsExactly("only");
    }
  }

  @Test
  void theEndOfTheStreamHandsOverTheLast() throws Exception {
    try (InputStream client = inbox) {
      assertThat(client.readAllBytes()).hasSize(3 * BUFFER);
      gather("last");
      assertThat(client.read()).isNegative();
      assertThat(handedOver).containsExactly("last");
    }
  }
}
