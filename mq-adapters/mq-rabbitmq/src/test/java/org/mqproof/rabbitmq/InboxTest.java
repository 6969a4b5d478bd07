package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {

  private static final int BUFFER = 8;

  /** What happened, in order. */
  private final List<String> events = new ArrayList<>();

  private final Inbox inbox = new Inbox(new Socket());
  private final DataInputStream client =
      new DataInputStream(new BufferedInputStream(inbox, BUFFER));

  /** Each read may wait for the broker. */
  private final class Socket extends FilterInputStream {

    private Socket() {
      super(new ByteArrayInputStream(new byte[2 * BUFFER]));
    }

    @Override
    public int read() throws IOException {
      events.add("read");
      return super.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      events.add("read");
      return super.read(bytes, offset, length);
    }
  }

  private void gather(String what) {
    inbox.handOverBeforeRead(
        () -> {
          events.add(what);
          return 1;
        });
  }

  @Test
  void whatHasGatheredIsHandedOverBeforeTheSocketIsRead() throws Exception {
    assertThat(client.readInt()).isZero();
    gather("first");
    assertThat(client.readInt()).isZero();
    gather("second");
    assertThat(events).as("while the buffer has more").containsExactly("read");

    assertThat(client.readByte()).isZero();

    assertThat(events).containsExactly("read", "first", "second", "read");
  }

  @Test
  void nothingWaitsForTheRestOfAFrame() throws Exception {
    assertThat(client.readInt()).isZero();
    gather("complete");
    client.readFully(new byte[BUFFER]); // half of it is there
    assertThat(events).containsExactly("read", "complete", "read");
  }

  @Test
  void isHandedOverOnce() throws Exception {
    gather("only");
    assertThat(inbox.read()).isZero();
    assertThat(inbox.read()).isZero();
    assertThat(events).containsExactly("only", "read", "read");
  }

  @Test
  void theEndOfTheStreamHandsOverTheLast() throws Exception {
    assertThat(inbox.readNBytes(2 * BUFFER)).hasSize(2 * BUFFER);
    events.clear();
    gather("last");
    assertThat(inbox.read()).isNegative();
    assertThat(events).containsExactly("last", "read");
  }
}
