package org.mqproof.comparison;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.mqproof.cluster.Access;

/** Sides that move nothing, for {@link ComparisonTest}. */
final class PairsMain {

  private PairsMain() {}

  static Comparison comparison(PrintStream out, PrintStream errors) {
    return new Comparison(
        PairsMain.class,
        "none",
        List.of(
            Workload.of(
                    "twice",
                    settings -> rate("ours", 200),
                    "a slow one",
                    settings -> rate("theirs", 100))
                .withoutCluster(),
            Workload.of(
                    "told",
                    settings -> new Rate(Double.parseDouble(settings.get("ours")), 1, 2),
                    "one that was prepared",
                    settings -> new Rate(Double.parseDouble(settings.get("theirs")), 1, 2))
                .preparedBy(settings -> Map.of("theirs", settings.get("ours") + "0"))
                .withoutCluster(),
            Workload.of("by-tls", PairsMain::oneIfByTls, "plain", PairsMain::oneIfByTls)
                .by(Access.PASSWORD, Access.PLAIN),
            Workload.of(
                    "failing",
                    settings -> {
                      throw new IllegalStateException("on purpose");
                    },
                    "nothing",
                    settings -> rate("theirs", 1))
                .withoutCluster()),
        out,
        errors);
  }

  private static Rate oneIfByTls(Map<String, String> settings) {
    return new Rate(Double.parseDouble(settings.get(NoCluster.BY_TLS)), 1, 2);
  }

  private static Rate rate(String side, double messagesPerSecond) {
    System.out.println("  " + side + " in process " + ProcessHandle.current().pid());
    return new Rate(messagesPerSecond, 1.5, Double.NaN);
  }

  /** Runs a side. */
  public static void main(String[] args) throws Exception {
    int unused = comparison(System.out, System.err).run(args);
  }
}
