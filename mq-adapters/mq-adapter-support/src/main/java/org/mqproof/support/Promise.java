package org.mqproof.support;

import java.util.List;
import org.mqproof.MqException;

/**
 * What the traits of a queue promise, against what the system is configured to do with it.
 * Thread-safe: no state.
 */
public final class Promise {

  private Promise() {}

  /**
   * Refuses what would lose messages that were confirmed.
   *
   * @param where the system, as errors name it
   * @param what that which is configured so, such as "queue orders"
   * @param broken each as "setting is value, must be ..."; empty if the promise can be kept
   * @param check the setting that switches this off
   * @throws MqException with one sentence, unless nothing is broken
   */
  public static void require(String where, String what, List<String> broken, String check) {
    if (!broken.isEmpty()) {
      throw new MqException(
          "%s: %s cannot keep what the settings promise: %s; change it, or the settings, or set %s=false and lose messages"
              .formatted(where, what, String.join("; ", broken), check));
    }
  }
}
