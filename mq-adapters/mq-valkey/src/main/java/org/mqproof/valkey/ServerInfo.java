package org.mqproof.valkey;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a server says of itself, and what of that breaks a promise. No state. */
final class ServerInfo {

  private static final String NO_EVICTION = "noeviction";

  private ServerInfo() {}

  /** Names and values of what INFO answers. */
  static Map<String, String> of(String text) {
    return text.lines()
        .map(line -> line.split(":", 2))
        .filter(pair -> pair.length == 2)
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  static boolean isPrimary(Map<String, String> info) {
    return "master".equals(info.get("role"));
  }

  static int replicas(Map<String, String> info) {
    return Integer.parseInt(info.getOrDefault("connected_slaves", "0"));
  }

  /** Each as "setting is value, must be ..."; empty if the promise can be kept. */
  static List<String> broken(Map<String, String> info) {
    String policy = info.getOrDefault("maxmemory_policy", NO_EVICTION);
    return info.getOrDefault("maxmemory", "0").equals("0") || policy.equals(NO_EVICTION)
        ? List.of()
        : List.of(
            "maxmemory-policy is %s, must be %s where maxmemory is set"
                .formatted(policy, NO_EVICTION));
  }

  /**
   * The same where the disk is awaited. With {@code everysec} Valkey answers WAITAOF before the
   * disk has what is younger than a second.
   */
  static List<String> brokenOnDisk(Map<String, String> info, String appendfsync) {
    List<String> broken = new ArrayList<>(broken(info));
    if ("0".equals(info.get("aof_enabled"))) {
      broken.add("appendonly is no, must be yes for confirm=waitaof");
    }
    if (!appendfsync.equals("always")) {
      broken.add("appendfsync is %s, must be always for confirm=waitaof".formatted(appendfsync));
    }
    return broken;
  }
}
