package org.mqproof.rabbitmq;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.interleavings.Mutant;
import org.mqproof.interleavings.Race;

/** The receiver's thread against the connection's, in many interleavings; and mutants are found. */
@Tag("interleavings")
class InterleavingsTest {

  /** Two messages are received; their acks meet the broker's answer and the channel's end. */
  public static final class TwoHeld {

    private final Claims claims = new Claims("q", 10, (tag, multiple) -> {});
    private final List<Delivery> held;
    private final List<CompletableFuture<Void>> acks = new ArrayList<>();
    private volatile Claims.@Nullable Round underWay;

    public TwoHeld() throws InterruptedException {
      claims.arrived(
          List.of(
              new RabbitDelivery(claims, 1, new Message(new byte[0]), 0),
              new RabbitDelivery(claims, 2, new Message(new byte[0]), 0)));
      held = claims.take(2, 0);
    }

    private void ack(int index) {
      acks.add(claims.ack(List.of(held.get(index))));
      Claims.Round round = claims.nextRound();
      if (round != null) {
        underWay = round;
      }
    }

    public void ackFirst() {
      ack(0);
    }

    public void ackSecond() {
      ack(1);
    }

    public void answer() {
      Claims.Round round = underWay;
      if (round != null) {
        claims.answered(round);
      }
    }

    public void fail() {
      claims.fail(new MqException("the channel is gone"));
    }

    /** Each ack has ended, and what failed does not count as settled. */
    @Validate
    public void balance() {
      fail();
      for (int i = 0; i < acks.size(); i++) {
        boolean settled = ((RabbitDelivery) held.get(i)).state() == RabbitDelivery.State.SETTLED;
        if (!acks.get(i).isDone()) {
          throw new AssertionError("an ack never ends");
        }
        if (settled == acks.get(i).isCompletedExceptionally()) {
          throw new AssertionError("an ack failed, and counts as settled");
        }
      }
    }
  }

  /** Two threads write acks to one socket. */
  public static final class OneSocket {

    private static final int ACK_BYTES = 21;

    private final ByteArrayOutputStream socket = new ByteArrayOutputStream();
    private final Outbox outbox = new Outbox(socket, () -> {}, Duration.ofDays(1));

    public void ackOne() throws IOException {
      outbox.ack(1, 1, false);
      outbox.flush();
    }

    public void ackOther() throws IOException {
      outbox.ack(2, 2, false);
      outbox.flush();
    }

    /** Both frames were written whole. */
    @Validate
    public void balance() {
      byte[] bytes = socket.toByteArray();
      int channels = 0;
      for (int frame = 0; frame + ACK_BYTES <= bytes.length; frame += ACK_BYTES) {
        channels += bytes[frame + 2];
      }
      if (bytes.length != 2 * ACK_BYTES || channels != 3) {
        throw new AssertionError(bytes.length + " bytes written");
      }
    }
  }

  private static final Race ACKS =
      Race.of(TwoHeld.class, "ackFirst ackSecond", "answer answer", "fail");
  private static final Race FLUSHES = Race.of(OneSocket.class, "ackOne", "ackOther");

  @Test
  void eachAckEndsOnce() {
    ACKS.check();
  }

  @Test
  void settlingWhatHasFailedIsFound() {
    ACKS.mustFail(
        Mutant.of(Claims.class)
            .replace("if (underWay != round) { return; // failed meanwhile }", ""),
        "Validation");
  }

  @Test
  void lookingForTheFailureBeforeTheLockIsFound() {
    ACKS.mustFail(
        Mutant.of(Claims.class)
            .replace(
                "Call call = new Call(new CompletableFuture<>(), ours); lock.lock();",
                "Call call = new Call(new CompletableFuture<>(), ours);"
                    + " MqException seen = failure; lock.lock();")
            .replace(
                "if (failure == null) { ours.forEach(this::gather);",
                "if (seen == null) { ours.forEach(this::gather);"),
        "Validation");
  }

  @Test
  void allThatIsAddedIsWritten() {
    FLUSHES.check();
  }

  @Test
  void takingTheBufferWithoutTheLockIsFound() {
    FLUSHES.mustFail(
        Mutant.of(Outbox.class)
            .replace(
                "filling.lock(); try { full = current; current = spare; end = added; }"
                    + " finally { filling.unlock(); }",
                "full = current; current = spare; end = added;"),
        "Validation");
  }
}
