package org.mqproof.support;

import java.time.Duration;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/** Base of the settings of a {@link ClaimingMq}, and what it promises by itself. Immutable. */
public abstract class ClaimingSettings extends BoundedSettings {

  private final Setting<Duration> claimPeriod;

  /**
   * Takes checked values.
   *
   * @param settings the values
   * @param callBound the adapter's setting from {@link #callBound(Duration, String)}
   * @param claimPeriod the adapter's setting from {@link #claimPeriod}
   */
  protected ClaimingSettings(
      Settings settings, Setting<Duration> callBound, Setting<Duration> claimPeriod) {
    super(settings, callBound);
    this.claimPeriod = claimPeriod;
  }

  /**
   * The claim period: 30 s by default.
   *
   * @param measuredBy the end of its description, for example {@code "on the primary's clock"}
   * @return the setting
   */
  public static Setting<Duration> claimPeriod(String measuredBy) {
    return Setting.duration(
        "claim.period",
        Duration.ofSeconds(30),
        Duration.ofSeconds(1),
        Duration.ofHours(12),
        "Time for which a message that was handed out is hidden from others; one that is not acked"
            + " goes to them after it and a quarter more, at least 1 s, "
            + measuredBy
            + ".");
  }

  /**
   * What holds for every queue.
   *
   * @return the limits of a connection with these settings
   */
  public final ClaimingMq.Bounds bounds() {
    return new ClaimingMq.Bounds(stepBound(), get(claimPeriod));
  }

  /**
   * What every {@link ClaimingMq} promises.
   *
   * @param mode as in {@link Traits#mode(String)}
   * @param timeToNotice for a receiver to get what is no longer hidden, and for a fail-over
   *     meanwhile
   * @return traits without durability, copies and limits of messages
   */
  protected final Traits.Builder claimingTraits(String mode, Duration timeToNotice) {
    return Traits.mode(mode)
        .claimPeriod(get(claimPeriod))
        .redeliveryBound(bounds().hidden().plus(timeToNotice))
        .ordering(Ordering.NONE)
        .ackMode(AckMode.SELECTIVE)
        .release(Release.ANY_RECEIVER)
        .extendable(true)
        .callBound(callBound());
  }
}
