package org.mqproof.micrometer;

import java.time.Duration;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Outcome;
import org.mqproof.micrometer.ReceiveMeters.Released;

/**
 * Remembers when the deliveries of one receiver were received, until they are acked or released.
 * Thread-safe: acks complete in other threads than the receiver's.
 */
final class InFlight {

  /** When a delivery was received and its claim began: one object for those of one receive. */
  private record Claim(long receivedNanos, long sinceNanos) {}

  private final ReceiveMeters meters;

  /** {@link Long#MAX_VALUE} if claims never end. */
  private final long claimPeriodNanos;

  /** Without what is given to an ack or a release that has not completed. Guarded by itself. */
  private final IdentityHashMap<Delivery, Claim> claims = new IdentityHashMap<>();

  /** Guarded by {@link #claims}, as is the next. */
  private long endedSoughtNanos;

  private boolean ended;

  InFlight(ReceiveMeters meters, Optional<Duration> claimPeriod) {
    this.meters = meters;
    claimPeriodNanos = claimPeriod.map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
    endedSoughtNanos = meters.nanoTime();
  }

  void received(List<Delivery> got, long now) {
    synchronized (claims) {
      if (ended) {
        return;
      }
      int before = claims.size();
      if (!got.isEmpty()) {
        Claim claim = new Claim(now, now);
        for (Delivery delivery : got) {
          claims.put(delivery, claim);
        }
      }
      if (now - endedSoughtNanos > claimPeriodNanos) {
        forgetEndedClaims(now);
      }
      meters.inFlight(claims.size() - before);
    }
  }

  /** Some systems let a claim last longer than declared, none twice as long. */
  private void forgetEndedClaims(long now) {
    endedSoughtNanos = now;
    claims.values().removeIf(claim -> now - claim.sinceNanos - claimPeriodNanos > claimPeriodNanos);
  }

  void extended(Collection<? extends Delivery> deliveries, long now) {
    synchronized (claims) {
      for (Delivery delivery : deliveries) {
        claims.computeIfPresent(delivery, (d, claim) -> new Claim(claim.receivedNanos, now));
      }
    }
  }

  /** Takes out what an ack or a release was given. */
  Given give(Collection<? extends Delivery> deliveries) {
    return new Given(deliveries.toArray(new Delivery[0]));
  }

  /** The receiver is closed. What acks and releases still hold leaves when they complete. */
  void end() {
    synchronized (claims) {
      ended = true;
      meters.inFlight(-claims.size());
      claims.clear();
    }
  }

  /** What one ack or release was given. For one completion, in any thread. */
  final class Given {

    private final Delivery[] deliveries;

    /** With nulls where a delivery had been settled, released or forgotten before. */
    private final @Nullable Claim[] taken;

    private Given(Delivery[] deliveries) {
      this.deliveries = deliveries;
      taken = new Claim[deliveries.length];
      synchronized (claims) {
        for (int i = 0; i < deliveries.length; i++) {
          taken[i] = claims.remove(deliveries[i]);
        }
      }
    }

    void acked(@Nullable Throwable failure, long ackNanos) {
      int confirmed = 0;
      int rejected = 0;
      int unknown = 0;
      int left = 0;
      for (int i = 0; i < deliveries.length; i++) {
        Claim claim = taken[i];
        switch (outcome(failure, i)) {
          case CONFIRMED -> {
            if (claim != null) {
              confirmed++;
              left++;
              meters.processed(ackNanos - claim.receivedNanos);
            }
          }
          case REJECTED -> {
            rejected++;
            left += putBack(i);
          }
          case UNKNOWN -> {
            unknown++;
            left += putBack(i);
          }
        }
      }
      meters.inFlight(-left);
      meters.acked(Outcome.CONFIRMED, confirmed);
      meters.acked(Outcome.REJECTED, rejected);
      meters.acked(Outcome.UNKNOWN, unknown);
    }

    void released(@Nullable Throwable failure) {
      int count = 0;
      int left = 0;
      for (int i = 0; i < deliveries.length; i++) {
        count += taken[i] == null ? 0 : 1;
        left += failure == null ? 0 : putBack(i);
      }
      meters.inFlight(failure == null ? -count : -left);
      meters.released(failure == null ? Released.CONFIRMED : Released.UNKNOWN, count);
    }

    /** What failed may be given again; of a closed receiver it is not in flight any more. */
    private int putBack(int i) {
      Claim claim = taken[i];
      if (claim == null) {
        return 0;
      }
      synchronized (claims) {
        if (ended) {
          return 1;
        }
        claims.put(deliveries[i], claim);
        return 0;
      }
    }

    private Outcome outcome(@Nullable Throwable failure, int i) {
      if (failure == null) {
        return Outcome.CONFIRMED;
      }
      return failure instanceof AckFailedException e && i < e.outcomes().size()
          ? e.outcomes().get(i)
          : Outcome.UNKNOWN;
    }
  }
}
