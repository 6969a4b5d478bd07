package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Receiver;
import org.mqproof.Sender;

class OpenPartsTest {

  private static final class FakeSender implements Sender {
    private boolean closed;

    @Override
    public void send(List<Message> batch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class FakeReceiver implements Receiver {
    private boolean closed;

    @Override
    public List<Delivery> receive(int max, Duration timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final OpenParts<FakeSender, FakeReceiver> parts = new OpenParts<>("a broker at h:1");
  private final FakeSender sender = new FakeSender();
  private final FakeReceiver receiver = new FakeReceiver();

  @Test
  void whatIsOpenedIsTracked() {
    parts.requireOpen();

    assertThat(parts.add(sender)).isSameAs(sender);
    assertThat(parts.add(receiver)).isSameAs(receiver);
    assertThat(parts.senders()).containsExactly(sender);
    assertThat(parts.receivers()).containsExactly(receiver);
    assertThat(sender.closed).isFalse();
    assertThat(receiver.closed).isFalse();
  }

  /** The thread that closes may have listed the parts before this one was added. */
  @Test
  void whatIsOpenedDuringCloseIsClosed() {
    assertThat(parts.beginClose()).isTrue();
    assertThat(parts.beginClose()).isFalse();

    assertThatIllegalStateException()
        .isThrownBy(() -> parts.add(sender))
        .withMessage("this connection to a broker at h:1 is closed");
    assertThatIllegalStateException().isThrownBy(() -> parts.add(receiver));
    assertThatIllegalStateException().isThrownBy(parts::requireOpen);
    assertThat(sender.closed).isTrue();
    assertThat(receiver.closed).isTrue();
  }
}
