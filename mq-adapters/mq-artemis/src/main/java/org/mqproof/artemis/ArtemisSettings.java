package org.mqproof.artemis;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.mqproof.jms.JmsBroker;
import org.mqproof.jms.JmsSettings;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/** Artemis' own settings, beside the shared ones. Immutable. */
final class ArtemisSettings {

  private static final Pattern NAME = Pattern.compile("\\S{1,200}");

  static final Setting<String> USER =
      Setting.pattern(
          "username",
          "mqproof",
          NAME,
          "1 to 200 characters without a space",
          "Who sends, receives, and creates and deletes queues. Ignored by a broker without"
              + " security.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "mqproof", "The password of that user.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          2,
          1,
          2,
          "Nodes that hold a confirmed message, as the broker's ha-policy has it: 2 for a primary"
              + " that replicates to a backup, while that is in sync; 1 for a shared store.");
  static final Setting<Integer> CONSUMER_WINDOW_BYTES =
      Setting.integer(
          "consumer.window.bytes",
          1 << 20,
          1 << 10,
          1 << 30,
          "Artemis' consumerWindowSize: bytes under way to one receiver beyond its prefetch, so"
              + " that the rate is at most this by round trip.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool(
          JmsBroker.CHECK_QUEUE,
          true,
          "Whether a queue is refused that drops messages, or moves them elsewhere, by its own"
              + " configuration or by the broker's address-settings; without the right to manage"
              + " the latter are not checked.");
  static final Setting<Map<String, String>> CLIENT = Setting.client(ArtemisOptions.ALL);

  static final List<Setting<?>> ALL =
      JmsSettings.with(List.of(USER, PASSWORD, COPIES, CONSUMER_WINDOW_BYTES, CHECK_QUEUE, CLIENT));

  private final JmsSettings shared;

  ArtemisSettings(MqProvider provider, Settings settings) {
    shared = new JmsSettings("Artemis", provider, settings, COPIES);
    ArtemisOptions.check(get(CLIENT));
  }

  JmsSettings shared() {
    return shared;
  }

  <T> T get(Setting<T> setting) {
    return shared.get(setting);
  }
}
