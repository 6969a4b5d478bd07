package org.mqproof.crash;

import java.util.HashMap;
import java.util.Map;

/** One of the queue types and ways to confirm of RabbitMQ. */
abstract class RabbitCrashTests extends CrashTests {

  RabbitCrashTests(Map<String, String> mode) {
    super("rabbitmq", withBounds(mode));
  }

  static Map<String, String> withBounds(Map<String, String> mode) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.put("call.bound", "12s");
    settings.put("connect.bound", "3s");
    settings.put("heartbeat", "3s");
    return settings;
  }
}
