package org.mqproof.support;

import java.time.Duration;
import java.util.Locale;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Base of an adapter's settings: their values and the bound of a call, which is made of at most
 * four waits for the system. Immutable.
 */
public abstract class BoundedSettings {

  private final Settings settings;
  private final Setting<Duration> callBound;

  /**
   * Takes checked values.
   *
   * @param settings the values
   * @param callBound the adapter's setting from {@link #callBound(Duration, String)}
   */
  protected BoundedSettings(Settings settings, Setting<Duration> callBound) {
    this.settings = settings;
    this.callBound = callBound;
  }

  /**
   * The longest wait for a connection: 5 s by default.
   *
   * @param least smallest value
   * @param description one sentence
   * @return the setting
   */
  public static Setting<Duration> connectBound(Duration least, String description) {
    return Setting.duration(
        "connect.bound", Duration.ofSeconds(5), least, Duration.ofMinutes(10), description);
  }

  /**
   * The longest time of a call: 30 s by default.
   *
   * @param least smallest value
   * @param description one sentence
   * @return the setting
   */
  public static Setting<Duration> callBound(Duration least, String description) {
    return Setting.duration(
        "call.bound", Duration.ofSeconds(30), least, Duration.ofHours(1), description);
  }

  /**
   * Checks a time of which a call may take four.
   *
   * @param system the provider's name
   * @param setting the setting with that time
   * @throws IllegalArgumentException if it is more than a quarter of the bound of a call
   */
  protected final void requireAQuarter(String system, Setting<Duration> setting) {
    if (get(setting).compareTo(stepBound()) > 0) {
      throw new IllegalArgumentException(
          "%s: setting %s cannot be %d ms: it takes at most a quarter of %s, %d ms"
              .formatted(
                  system,
                  setting.key(),
                  get(setting).toMillis(),
                  callBound.key(),
                  stepBound().toMillis()));
    }
  }

  /**
   * The value of a setting.
   *
   * @param <T> the type of its values
   * @param setting one of the provider's settings
   * @return the value given, or the default
   */
  public final <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /**
   * The longest time of a call.
   *
   * @return the setting's value
   */
  public final Duration callBound() {
    return get(callBound);
  }

  /**
   * The longest wait for one answer of the system.
   *
   * @return a quarter of the bound of a call
   */
  public final Duration stepBound() {
    return callBound().dividedBy(4);
  }

  /**
   * The value of a {@link Setting#oneOf} as it is given.
   *
   * @param value a constant
   * @return its name in lower case, with dashes
   */
  protected static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
