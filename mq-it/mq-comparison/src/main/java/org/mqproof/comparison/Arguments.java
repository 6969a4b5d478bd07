package org.mqproof.comparison;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the command line asks for. Immutable. */
record Arguments(
    boolean help, boolean noCluster, int pairs, Map<String, String> settings, List<String> names) {

  /**
   * Reads it.
   *
   * @param known names of workloads
   * @throws IllegalArgumentException if it makes no sense; the message is one sentence for people
   */
  static Arguments parse(String[] args, List<String> known) {
    boolean help = false;
    boolean noCluster = false;
    int pairs = 5;
    Map<String, String> settings = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    Iterator<String> left = Arrays.asList(args).iterator();
    while (left.hasNext()) {
      String argument = left.next();
      switch (argument) {
        case "--help" -> help = true;
        case "--no-cluster" -> noCluster = true;
        case "--pairs" -> pairs = pairs(next(left, argument));
        case "--set" -> {
          String[] setting = next(left, argument).split("=", 2);
          if (setting.length < 2) {
            throw new IllegalArgumentException(
                "--set needs key=value, was '%s'".formatted(setting[0]));
          }
          settings.put(setting[0], setting[1]);
        }
        default -> {
          if (!known.contains(argument)) {
            throw new IllegalArgumentException(
                "no workload or option '%s'; there are %s, and --help"
                    .formatted(argument, String.join(", ", known)));
          }
          names.add(argument);
        }
      }
    }
    return new Arguments(
        help, noCluster, pairs, Map.copyOf(settings), names.isEmpty() ? known : List.copyOf(names));
  }

  private static String next(Iterator<String> left, String option) {
    if (!left.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return left.next();
  }

  private static int pairs(String value) {
    if (!value.matches("[1-9]\\d{0,2}")) {
      throw new IllegalArgumentException(
          "--pairs needs a number from 1 to 999, was '%s'".formatted(value));
    }
    return Integer.parseInt(value);
  }
}
