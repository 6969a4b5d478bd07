package org.mqproof.jmh.scenario;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What follows {@code scenario} on the command line. Immutable.
 *
 * @param name which scenario; null to list all
 * @param scale factor for times and counts
 * @param axis the only axis that is to run; null for all
 * @param own options and parameters that replace those of the scenario
 */
public record ScenarioArgs(
    @Nullable String name, double scale, @Nullable String axis, List<String> own) {

  private static final String SCALE = "--scale";
  private static final String AXIS = "--axis";

  private static final String HELP =
      """
      scenario NAME [--scale X] [--axis NAME] [JMH's options]
                             runs an experiment of one of the studies, or one of our own

        --list               what there is
        --scale X            multiplies the time of an iteration and the messages that are
                             counted, for example 0.2 for a quick look
        --axis NAME          runs only what makes this amount of work larger (growth)
        -p system=NAME       and any other parameter or option of JMH replaces the scenario's
      Exit code: 0 every rate is proven, 1 one is not, 2 nothing was measured.
      Example: java -jar benchmarks.jar scenario s0-scaling --scale 0.2 -p system=artemis
      """;

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException with one sentence if there is no such scenario, or the scale
   *     is not a number above 0
   */
  public static ScenarioArgs of(List<String> args) {
    if (args.isEmpty() || List.of("--list", "--help", "-h").contains(args.get(0))) {
      return new ScenarioArgs(null, 1, null, args);
    }
    List<String> own = new ArrayList<>(args.subList(1, args.size()));
    double scale = 1;
    int at = own.indexOf(SCALE);
    if (at >= 0) {
      scale = scale(at + 1 < own.size() ? own.get(at + 1) : "");
      own.subList(at, at + 2).clear();
    }
    String axis = null;
    int axisAt = own.indexOf(AXIS);
    List<String> axes = Scenario.named(args.get(0)).axes();
    if (axisAt >= 0) {
      axis = axisAt + 1 < own.size() ? own.get(axisAt + 1) : "";
      if (!axes.contains(axis)) {
        throw new IllegalArgumentException(
            axes.isEmpty()
                ? "--axis is not for %s, which has no axes".formatted(args.get(0))
                : "--axis cannot be '%s': %s has %s"
                    .formatted(axis, args.get(0), String.join(", ", axes)));
      }
      own.subList(axisAt, axisAt + 2).clear();
    }
    return new ScenarioArgs(args.get(0), scale, axis, List.copyOf(own));
  }

  private static double scale(String text) {
    try {
      double scale = Double.parseDouble(text);
      if (scale > 0 && scale <= 1000) {
        return scale;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wrong(text), e);
    }
    throw new IllegalArgumentException(wrong(text));
  }

  private static String wrong(String text) {
    return "--scale cannot be '%s': it takes a number above 0, at most 1000".formatted(text);
  }

  /** Whether only help or a list is asked for. */
  public boolean listing() {
    return name == null;
  }

  /** The help, or a line per scenario. */
  public String list() {
    if (!own.contains("--list")) {
      return HELP;
    }
    StringBuilder text = new StringBuilder();
    for (String each : Scenario.NAMES) {
      Scenario scenario = Scenario.named(each);
      text.append(
          "%-18s %s%n%-18s %s; %s%n"
              .formatted(each, scenario.title(), "", scenario.study(), scenario.time()));
    }
    return text.toString();
  }

  /** The scenario that is to run. */
  public Scenario scenario() {
    if (name == null) {
      throw new IllegalStateException("no scenario was named");
    }
    return Scenario.named(name);
  }

  /** What is about to run. */
  public String description() {
    Scenario scenario = scenario();
    return "%s: %s%n%s; %s (here: --scale %s)%n"
        .formatted(name, scenario.title(), scenario.study(), scenario.time(), scale);
  }

  /** What JMH is given, in the order in which it runs. */
  public List<Scenario.Line> lines() {
    return scenario().lines(own, scale).stream()
        .filter(line -> axis == null || axis.equals(line.axis()))
        .toList();
  }
}
