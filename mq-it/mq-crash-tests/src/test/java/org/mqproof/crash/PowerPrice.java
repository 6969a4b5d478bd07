package org.mqproof.crash;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What each mode lost when all nodes lost their power, and how fast it was: a table and a drawing,
 * made of runs and nothing else.
 */
final class PowerPrice {

  /** Least pairs that a comparison rests on. */
  private static final int PAIRS = 5;

  private static final int ROW_HEIGHT = 20;
  private static final int LABELS = 330;
  private static final int PANEL = 270;
  private static final double SLOWEST = 300;
  private static final double FASTEST = 200_000;

  /** How many of a mode's power cuts lost messages, and how that is drawn. */
  private enum Loss {
    NONE("●", "in no run", "#1a7f37"),
    SOME("■", "in some", "#9a6700"),
    EACH("◆", "in each", "#cf222e"),
    NOT_JUDGED("○", "not judged", "#57606a");

    final String sign;
    final String words;
    final String colour;

    Loss(String sign, String words, String colour) {
      this.sign = sign;
      this.words = words;
      this.colour = colour;
    }

    static String legend() {
      return Arrays.stream(values())
          .map(
              loss ->
                  "<tspan fill=\"%s\">%s %s</tspan>".formatted(loss.colour, loss.sign, loss.words))
          .collect(Collectors.joining(", "));
    }
  }

  /** One line of the table: the runs under load of one mode, and its power cuts. */
  private record Mode(String system, String mode, List<CellRun> loads, List<CellRun> cuts) {

    String group() {
      return system.split(" ", 2)[0];
    }

    long losing() {
      return cuts.stream().filter(cut -> cut.count("lost") > 0).count();
    }

    Loss loss() {
      if (cuts.isEmpty()) {
        return Loss.NOT_JUDGED;
      }
      long losing = losing();
      return losing == 0 ? Loss.NONE : losing < cuts.size() ? Loss.SOME : Loss.EACH;
    }

    String lost() {
      String share = "%d of %d".formatted(losing(), cuts.size());
      return switch (loss()) {
        case NONE -> share;
        case SOME, EACH -> "**" + share + "**";
        case NOT_JUDGED -> Loss.NOT_JUDGED.words;
      };
    }

    long[] sorted(String what) {
      return loads.stream().mapToLong(load -> load.count(what)).sorted().toArray();
    }

    long median(String what) {
      return FaultMatrix.median(sorted(what));
    }
  }

  private PowerPrice() {}

  /** The modes that were loaded: systems by name, and of each first what loses least. */
  private static Collection<List<Mode>> systems(List<CellRun> loads, List<CellRun> faults) {
    Map<String, List<CellRun>> modes =
        loads.stream()
            .collect(
                Collectors.groupingBy(
                    run -> run.system() + "\t" + run.mode(), TreeMap::new, Collectors.toList()));
    Map<String, List<Mode>> systems = new TreeMap<>();
    modes.forEach(
        (name, runs) -> {
          CellRun first = runs.get(0);
          List<CellRun> cuts =
              faults.stream()
                  .filter(run -> run.fault().equals(PowerCut.ALL_NODES) && run.failure().isEmpty())
                  .filter(run -> run.system().equals(first.system()))
                  .filter(run -> run.mode().equals(first.mode()))
                  .toList();
          Mode mode = new Mode(first.system(), first.mode(), runs, cuts);
          systems.computeIfAbsent(mode.group(), group -> new ArrayList<>()).add(mode);
        });
    systems
        .values()
        .forEach(
            list ->
                list.sort(
                    Comparator.comparing(Mode::loss)
                        .thenComparing(mode -> mode.median("awaited-rate"))));
    return systems.values();
  }

  static String table(List<CellRun> loads, List<CellRun> faults) {
    StringBuilder text =
        new StringBuilder(
            """
            | System and mode | Runs that lost | Awaited, msgs/s | p99, ms | Pipelined, msgs/s | p99, ms | Compared |
            |---|--:|--:|--:|--:|--:|--:|
            """);
    for (List<Mode> modes : systems(loads, faults)) {
      for (Mode mode : modes) {
        text.append(
            "| %s `%s` | %s | %s | %s | %s | %s | %s |\n"
                .formatted(
                    mode.system,
                    mode.mode,
                    mode.lost(),
                    rates(mode.sorted("awaited-rate")),
                    millis(mode.median("awaited-p99-micros")),
                    rates(mode.sorted("pipelined-rate")),
                    millis(mode.median("pipelined-p99-micros")),
                    mode.equals(modes.get(0)) ? "1" : compared(mode, modes.get(0))));
      }
    }
    return text.toString();
  }

  private static String rates(long[] sorted) {
    return String.format(
        Locale.ROOT,
        "%,d (%,d to %,d)",
        FaultMatrix.median(sorted),
        sorted[0],
        sorted[sorted.length - 1]);
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, micros < 10_000 ? "%.1f" : "%.0f", micros / 1_000.0);
  }

  /** The medians of the ratios of the pairs that have both modes, awaited and pipelined. */
  private static String compared(Mode mode, Mode safest) {
    return ratio(mode, safest, "awaited-rate") + "; " + ratio(mode, safest, "pipelined-rate");
  }

  private static String ratio(Mode mode, Mode safest, String what) {
    Map<Long, Long> others =
        safest.loads.stream()
            .collect(Collectors.toMap(load -> load.count("pair"), load -> load.count(what)));
    double[] ratios =
        mode.loads.stream()
            .filter(load -> others.containsKey(load.count("pair")))
            .mapToDouble(
                load -> (double) load.count(what) / requireNonNull(others.get(load.count("pair"))))
            .sorted()
            .toArray();
    return String.format(Locale.ROOT, "%.2g", ratios[(ratios.length - 1) / 2]);
  }

  /** The same as a drawing. */
  static String drawing(List<CellRun> loads, List<CellRun> faults) {
    Collection<List<Mode>> systems = systems(loads, faults);
    int rows = systems.stream().mapToInt(List::size).sum() + systems.size();
    int height = 60 + rows * ROW_HEIGHT;
    StringBuilder text =
        new StringBuilder(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
            font-family="sans-serif" font-size="12" fill="#1f2328">
            <rect width="100%%" height="100%%" fill="#ffffff"/>
            <text x="10" y="18">Lost in power cuts of all nodes: %5$s. \
            Messages a second, median and range of the pairs:</text>
            <text x="%3$d" y="40" font-weight="bold">one batch after the other</text>
            <text x="%4$d" y="40" font-weight="bold">100 batches under way</text>
            """
                .formatted(
                    LABELS + 2 * PANEL + 40, height, LABELS, LABELS + PANEL + 20, Loss.legend()));
    for (int panel = 0; panel < 2; panel++) {
      for (double rate : new double[] {1_000, 10_000, 100_000}) {
        text.append(
            "<path d=\"M%1$.0f 46V%2$d\" stroke=\"#d0d7de\"/><text x=\"%1$.0f\" y=\"%3$d\" text-anchor=\"middle\" fill=\"#57606a\">%4$s</text>\n"
                .formatted(
                    x(panel, rate),
                    height - 18,
                    height - 5,
                    String.format(Locale.ROOT, "%,.0f", rate)));
      }
    }
    int y = 50;
    for (List<Mode> modes : systems) {
      for (Mode mode : modes) {
        y += ROW_HEIGHT;
        text.append("<text x=\"10\" y=\"%d\">%s</text>\n".formatted(y, label(mode)));
        text.append(spot(mode, 0, "awaited-rate", y)).append(spot(mode, 1, "pipelined-rate", y));
      }
      y += ROW_HEIGHT / 2;
    }
    return text.append("</svg>\n").toString();
  }

  /** Without what all modes of a system have in common. */
  private static String label(Mode mode) {
    String name =
        mode.mode
            .replace(",receive=group", "")
            .replace(",claim=batch", "")
            .replace(",confirm=publisher-confirms", "")
            .replace("ensemble=2,write.quorum=2,ack.quorum=2", "two of three bookies");
    String own = mode.system.substring(mode.group().length()); // begins with a space, or is empty
    return "<tspan font-weight=\"bold\">%s</tspan>%s %s".formatted(mode.group(), own, name);
  }

  private static String spot(Mode mode, int panel, String what, int y) {
    long[] rates = mode.sorted(what);
    return String.format(
        Locale.ROOT,
        "<path d=\"M%.1f %dH%.1f\" stroke=\"%5$s\"/><text x=\"%4$.1f\" y=\"%6$d\" text-anchor=\"middle\" fill=\"%5$s\">%7$s</text>\n",
        x(panel, (double) rates[0]),
        y - 4,
        x(panel, (double) rates[rates.length - 1]),
        x(panel, (double) FaultMatrix.median(rates)),
        mode.loss().colour,
        y,
        mode.loss().sign);
  }

  private static double x(int panel, double rate) {
    double part = Math.log(rate / SLOWEST) / Math.log(FASTEST / SLOWEST);
    return LABELS + panel * (PANEL + 20) + part * PANEL;
  }

  /** Whether each mode has at least five pairs with the first of its system, and no pair twice. */
  static boolean isWhole(List<CellRun> loads, List<CellRun> faults) {
    return systems(loads, faults).stream()
        .allMatch(modes -> modes.stream().allMatch(mode -> isPaired(mode, modes.get(0))));
  }

  private static boolean isPaired(Mode mode, Mode safest) {
    List<Long> pairs = pairs(mode);
    List<Long> common = new ArrayList<>(pairs);
    common.retainAll(pairs(safest));
    return common.size() >= PAIRS && pairs.stream().distinct().count() == pairs.size();
  }

  private static List<Long> pairs(Mode mode) {
    return mode.loads.stream().map(load -> load.count("pair")).toList();
  }
}
