package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A receiver in a process of its own, which claims messages and never acks them. */
final class HoldingChild implements AutoCloseable {

  private final CountDownLatch holding = new CountDownLatch(1);
  private final ChildJvm child;

  /**
   * Starts it.
   *
   * @param wanted how many messages it claims at most
   * @param claimed told each body that it claims, from another thread
   */
  HoldingChild(Cell cell, int wanted, Consumer<ByteBuffer> claimed) throws IOException {
    child =
        new ChildJvm(
            ReceiverMain.class,
            List.of(cell.system(), cell.queue(), Integer.toString(wanted)),
            cell.childSettings(),
            line -> {
              if (line.startsWith("claimed ")) {
                claimed.accept(ByteBuffer.wrap(Base64.getDecoder().decode(line.substring(8))));
              } else {
                holding.countDown();
              }
            });
  }

  void awaitClaims() throws InterruptedException {
    assertThat(holding.await(CrashHarness.PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("the child has claimed messages")
        .isTrue();
  }

  void kill(Cell cell) throws InterruptedException {
    cell.killChild(child);
  }

  void requireDead() {
    assertThat(child.isAlive()).as("the child lives").isFalse();
  }

  @Override
  public void close() {
    child.close();
  }
}
