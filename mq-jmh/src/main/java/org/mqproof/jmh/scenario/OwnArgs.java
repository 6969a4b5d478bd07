package org.mqproof.jmh.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a user gives to replace what a command runs with. Plain data.
 *
 * @param options of JMH, each with its value
 * @param params of the benchmarks, by name
 */
public record OwnArgs(Map<String, String> options, Map<String, String> params) {

  /**
   * Reads them.
   *
   * @param who takes them, for the error
   * @param args as on JMH's command line
   * @return in their order; of what is given twice the last
   * @throws IllegalArgumentException if they are no list of options with a value each
   */
  public static OwnArgs of(String who, List<String> args) {
    Map<String, String> options = new LinkedHashMap<>();
    Map<String, String> params = new LinkedHashMap<>();
    for (int i = 0; i < args.size(); i += 2) {
      String option = args.get(i);
      if (!option.startsWith("-") || i + 1 == args.size()) {
        throw new IllegalArgumentException(
            "%s takes options with a value each, like -p batch=10 or -f 3, and not '%s'"
                .formatted(who, option));
      }
      String value = args.get(i + 1);
      int equals = value.indexOf('=');
      if (option.equals("-p") && equals > 0) {
        params.put(value.substring(0, equals), value.substring(equals + 1));
      } else {
        options.put(option, value);
      }
    }
    return new OwnArgs(options, params);
  }
}
