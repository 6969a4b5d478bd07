package org.mqproof.eventstore;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.MqException;
import org.mqproof.interleavings.Mutant;
import org.mqproof.interleavings.Race;

/** The receiver's thread against the connection's, in many interleavings; and a mutant is found. */
@Tag("interleavings")
class InterleavingsTest {

  /** A claim has ended: the subscription is left for a new one, and the old one's end is told. */
  public static final class Lapsing {

    private final AtomicLong clock = new AtomicLong();
    private final Claims claims =
        new Claims(
            2,
            10,
            5,
            1,
            clock::get,
            new Claims.Writer() {
              @Override
              public void ack(List<EventStoreDelivery> deliveries) {}

              @Override
              public void giveBack(List<EventStoreDelivery> deliveries) {}
            });
    private final int first = claims.begin();
    private boolean begun;

    public Lapsing() throws InterruptedException {
      claims.arrived(first, new EventId(0, 1), new byte[0]);
      claims.take(1, 0);
      clock.set(100);
    }

    public void leave() {
      if (claims.lapse()) {
        begun = true;
        claims.begin();
      }
    }

    public void endOfFirst() {
      claims.ended(first, new MqException("the first has ended"));
    }

    /** What ended the first subscription does not end the second. */
    @Validate
    public void balance() throws InterruptedException {
      try {
        claims.take(1, 0);
      } catch (MqException e) {
        if (begun) {
          throw new AssertionError("the new subscription has failed", e);
        }
      }
    }
  }

  private static final Race LEAVE = Race.of(Lapsing.class, "leave", "endOfFirst");

  @Test
  void theEndOfASubscriptionDoesNotEndTheNext() {
    LEAVE.check();
  }

  @Test
  void endingInTwoStepsIsFound() {
    LEAVE.mustFail(
        Mutant.of(Claims.class)
            .replace(
                "fail(subscription, cause);",
                "lock.lock(); boolean old = subscription != generation || lapsed; lock.unlock();"
                    + " if (!old) { fail(ANY, cause); }"),
        "Validation");
  }
}
