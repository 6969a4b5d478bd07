package org.mqproof.valkey;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mqproof.valkey.ValkeySettings.Confirm;

/** What a server says of itself, and what of that breaks a promise. No state. */
final class ServerInfo {

  private static final String NO_EVICTION = "noeviction";

  private ServerInfo() {}

  /** Names and values of what INFO answers. */
  static Map<String, String> of(String text) {
    Map<String, String> info = new HashMap<>();
    text.lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0 && !line.startsWith("#")) {
                info.put(line.substring(0, colon), line.substring(colon + 1));
              }
            });
    return info;
  }

  static boolean isPrimary(Map<String, String> info) {
    return "master".equals(info.get("role"));
  }

  static int replicas(Map<String, String> info) {
    return Integer.parseInt(info.getOrDefault("connected_slaves", "0"));
  }

  /** Each as "setting is value, must be ..."; empty if the promise can be kept. */
  static List<String> broken(Map<String, String> info, Confirm confirm) {
    List<String> broken = new ArrayList<>();
    String policy = info.getOrDefault("maxmemory_policy", NO_EVICTION);
    if (!info.getOrDefault("maxmemory", "0").equals("0") && !policy.equals(NO_EVICTION)) {
      broken.add(
          "maxmemory-policy is %s, must be %s where maxmemory is set"
              .formatted(policy, NO_EVICTION));
    }
    if (confirm == Confirm.WAITAOF && "0".equals(info.get("aof_enabled"))) {
      broken.add("appendonly is no, must be yes for confirm=waitaof");
    }
    return broken;
  }
}
