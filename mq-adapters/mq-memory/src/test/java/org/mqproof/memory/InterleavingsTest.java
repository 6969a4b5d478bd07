package org.mqproof.memory;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.interleavings.Mutant;
import org.mqproof.interleavings.Race;

/** Claim, ack, expiry and close, in many interleavings; and mutants of each that are found. */
@Tag("interleavings")
class InterleavingsTest {

  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final String QUEUE = "q";

  /** Two receivers, two senders, and a time that only {@link #expire} moves. */
  public static class OneQueue {

    final Mq mq;
    final Holder one;
    final Holder other;
    private final MemoryBroker broker =
        MemoryBroker.builder().manualTime().claimPeriod(PERIOD).build();
    private final Mq aside = broker.connect();
    private final Sender sender;
    private final Sender otherSender;
    private int sent;
    private boolean closed;

    public OneQueue() {
      mq = broker.connect();
      mq.createQueue(QUEUE);
      sender = mq.sender(QUEUE);
      otherSender = mq.sender(QUEUE);
      one = new Holder(mq.receiver(QUEUE));
      other = new Holder(mq.receiver(QUEUE));
    }

    /** A receiver, what it holds, and how many of its acks succeeded. */
    static final class Holder {

      final Receiver receiver;
      List<Delivery> held = List.of();
      int acked;

      Holder(Receiver receiver) {
        this.receiver = receiver;
      }

      void claim(Duration timeout) throws InterruptedException {
        try {
          held = receiver.receive(1, timeout);
        } catch (IllegalStateException e) {
          held = List.of(); // closed meanwhile
        }
      }

      void ack() {
        if (!receiver.ack(held).isCompletedExceptionally()) {
          acked += held.size();
        }
      }
    }

    final void send(Sender by, int count) throws InterruptedException {
      by.send(Collections.nCopies(count, new Message(new byte[0])));
    }

    final void sendBefore(int count) throws InterruptedException {
      send(sender, count);
      sent += count;
    }

    public void sendOne() throws InterruptedException {
      send(sender, 1);
    }

    public void sendOther() throws InterruptedException {
      send(otherSender, 1);
    }

    public void claimOne() throws InterruptedException {
      one.claim(Duration.ZERO);
    }

    public void awaitOne() throws InterruptedException {
      one.claim(PERIOD);
    }

    public void ackOne() {
      one.ack();
    }

    public void closeOne() {
      closed = true;
      one.receiver.close();
    }

    public void claimOther() throws InterruptedException {
      other.claim(Duration.ZERO);
    }

    public void ackOther() {
      other.ack();
    }

    public void expire() {
      broker.advance(PERIOD);
    }

    int expected() {
      return sent;
    }

    /** What is acked does not come again, all else comes once, and nothing closed has a claim. */
    @Validate
    public void balance() throws InterruptedException {
      if (!closed) {
        mq.close();
      } else {
        other.receiver.close();
      }
      int left = aside.receiver(QUEUE).receive(10, Duration.ZERO).size();
      if (one.acked + other.acked + left != expected()) {
        throw new AssertionError(
            "of %d messages %d and %d are acked and %d left"
                .formatted(expected(), one.acked, other.acked, left));
      }
    }
  }

  public static final class TwoMessages extends OneQueue {
    public TwoMessages() throws InterruptedException {
      sendBefore(2);
    }
  }

  public static final class OneHolds extends OneQueue {
    public OneHolds() throws InterruptedException {
      sendBefore(1);
      one.claim(Duration.ZERO);
    }
  }

  /** For races in which both senders send one message. */
  public static final class BothSend extends OneQueue {
    @Override
    int expected() {
      return 2;
    }
  }

  /** For races in which one message is sent. */
  public static final class OneSends extends OneQueue {
    @Override
    int expected() {
      return 1;
    }
  }

  private static final Race CLAIM =
      Race.of(TwoMessages.class, "claimOne ackOne", "claimOther ackOther");
  private static final Race EXPIRE =
      Race.of(OneHolds.class, "ackOne", "expire claimOther ackOther");
  private static final Race CLOSE = Race.of(TwoMessages.class, "claimOne", "closeOne");
  private static final Race GIVE_BACK = Race.of(OneHolds.class, "closeOne", "claimOther ackOther");
  private static final Race SEND = Race.of(BothSend.class, "sendOne", "sendOther claimOne");
  private static final Race WAKE = Race.of(OneSends.class, "awaitOne", "sendOne");

  @Test
  void eachMessageIsClaimedOnce() {
    CLAIM.check();
  }

  @Test
  void claimingWithoutTheLockIsFound() {
    CLAIM.mustFail(
        Mutant.of(MemoryQueue.class)
            .replace("lock.lockInterruptibly(); try { long waited", "try { long waited")
            .replace("} } finally { lock.unlock(); } if (!looked)", "} } finally { } if (!looked)"),
        "Validation");
  }

  @Test
  void ackOrExpiryWins() {
    EXPIRE.check();
  }

  @Test
  void ackingWithoutTheLockIsFound() {
    EXPIRE.mustFail(
        Mutant.of(MemoryQueue.class)
            .replace("acked = 0; lock.lock(); try {", "acked = 0; try {")
            .replace("remove(acked); } finally { lock.unlock(); }", "remove(acked); } finally { }"),
        "Validation");
  }

  @Test
  void closingLeavesNoClaim() {
    CLOSE.check();
  }

  @Test
  void claimingAfterTheCloseIsFound() {
    CLOSE.mustFail(
        Mutant.of(MemoryQueue.class).replace("receiver.requireOpen(); broker", "broker"),
        "Validation");
  }

  @Test
  void closingGivesBack() {
    GIVE_BACK.check();
  }

  @Test
  void nothingSentIsLost() {
    SEND.check();
  }

  @Test
  void aReceiverIsWoken() {
    WAKE.check();
  }

  @Test
  void lookingForReceiversBeforeTheSwapIsFound() {
    WAKE.mustFail(
        parkingAtOnce()
            .replace("Batch before =", "boolean parked = parkedReceivers > 0; Batch before =")
            .replace("if (parkedReceivers > 0) { lock", "if (parked) { lock"),
        "hung");
  }

  @Test
  void parkingWithoutALastLookIsFound() {
    WAKE.mustFail(parkingAtOnce().replace("if (tail == head) { broker", "{ broker"), "hung");
  }

  /** Else most interleavings would be of its looks at the inbox. */
  private static Mutant parkingAtOnce() {
    return Mutant.of(MemoryQueue.class)
        .replace("POLLS_BEFORE_PARKING = 200", "POLLS_BEFORE_PARKING = 0");
  }
}
