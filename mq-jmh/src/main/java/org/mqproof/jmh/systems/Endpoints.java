package org.mqproof.jmh.systems;

import java.util.List;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/** The settings of an adapter that say where its system is. Stateless, thread-safe. */
public final class Endpoints {

  private Endpoints() {}

  /** Keys of these settings; empty for a system inside this JVM. */
  public static List<String> of(MqProvider provider) {
    return provider.settings().stream()
        .filter(setting -> setting.validValues().contains("host:port"))
        .map(Setting::key)
        .toList();
  }

  /** Whether a system runs inside the client's JVM. */
  public static boolean inside(String system) {
    return of(MqProvider.named(system)).isEmpty();
  }
}
