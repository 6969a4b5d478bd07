package org.mqproof.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What bounds receivers when the broker is far away: {@code min(capacity, window / round trip)} is
 * fitted to what ran over several round trips, and the limit named that the window is. Stateless,
 * thread-safe.
 *
 * <p>The window is the rate over the longest round trip by that round trip, where nothing else
 * counts. The limits are those that a client knows of: what it acks before it goes on, what it may
 * have unacked, and what the kernel may hold for its socket.
 *
 * @param name the parameters, in short
 * @param capacity messages/s, the highest of all round trips
 * @param window messages that were under way over the longest round trip
 * @param misfit factor, 1 or more, by which a measured rate and the fit differ at most
 * @param bound what bounds the rate over the longest round trip, in words
 */
public record RoundTripFit(
    String name, double capacity, double window, double misfit, String bound) {

  static final String MODEL = "rate = min(capacity, window / round trip)";

  private static final String RTT = "rttMillis";
  private static final String SOCKET_BUFFER = "socket.buffer.bytes";
  private static final String FORMAT = "%-58s %10s %10s %10s  %s%n";

  /** Closer than this a limit explains a window; half is lost where acks wait for each other. */
  private static final double FACTOR = 2.2;

  private record Group(String benchmark, Map<String, String> params, int receivers) {}

  private record Limit(String name, double messages) {}

  /**
   * One for each set of parameters.
   *
   * @param rows what was measured
   * @return empty if nothing ran over several round trips
   */
  static List<RoundTripFit> of(List<Row> rows) {
    Map<Group, List<Row>> groups = new LinkedHashMap<>();
    for (Row row : rows) {
      Map<String, String> params = new TreeMap<>(row.load().params());
      String millis = params.remove(RTT);
      if (millis != null && row.rates().received() != null && row.standing() != Standing.VOID) {
        groups
            .computeIfAbsent(
                new Group(row.load().benchmark(), params, row.load().receivers()),
                group -> new ArrayList<>())
            .add(row);
      }
    }
    List<RoundTripFit> fits = new ArrayList<>();
    groups.forEach(
        (group, same) -> {
          same.sort(Comparator.comparingInt(RoundTripFit::millis));
          if (millis(same.get(same.size() - 1)) > millis(same.get(0))) {
            fits.add(fit(group, same));
          }
        });
    return fits;
  }

  /**
   * A line for each set of parameters.
   *
   * @param rows what was measured
   * @return ends with a line break; empty if nothing ran over several round trips
   */
  public static String text(List<Row> rows) {
    StringBuilder text = new StringBuilder();
    for (RoundTripFit fit : of(rows)) {
      if (text.length() == 0) {
        text.append(MODEL).append('\n');
        text.append(
            FORMAT.formatted(
                "parameters", "msgs/s", "window", "misfit", "what bounds the longest round trip"));
      }
      text.append(
          FORMAT.formatted(
              fit.name,
              String.format(Locale.ROOT, "%,.0f", fit.capacity),
              String.format(Locale.ROOT, "%,.1f", fit.window),
              String.format(Locale.ROOT, "x %.2f", fit.misfit),
              fit.bound));
    }
    return text.toString();
  }

  private static RoundTripFit fit(Group group, List<Row> rows) {
    Row far = rows.get(rows.size() - 1);
    double capacity = rows.stream().mapToDouble(RoundTripFit::rate).max().orElseThrow();
    double window = rate(far) * millis(far) / 1e3;
    double misfit = 1;
    for (Row row : rows) {
      double fit = millis(row) == 0 ? capacity : Math.min(capacity, window * 1e3 / millis(row));
      misfit = Math.max(misfit, Math.max(fit / rate(row), rate(row) / fit));
    }
    return new RoundTripFit(
        name(group),
        capacity,
        window,
        misfit,
        rate(far) > capacity / 2
            ? "the capacity of client and broker"
            : bound(window, limits(far)));
  }

  private static String bound(double window, List<Limit> limits) {
    Limit least = limits.stream().min(Comparator.comparingDouble(Limit::messages)).orElseThrow();
    double factor = window / least.messages();
    return String.format(
        Locale.ROOT,
        factor < FACTOR && factor > 1 / FACTOR
            ? "%s (%,.0f messages; the window is %.2f of it)"
            : "none of what the client knows: the least is %s (%,.0f messages; the window is %.2f"
                + " of it)",
        least.name(),
        least.messages(),
        factor);
  }

  private static List<Limit> limits(Row row) {
    List<Limit> limits = new ArrayList<>();
    limits.add(
        new Limit(
            "prefetch", (double) row.load().receivers() * row.target().traits().mostInFlight()));
    if (row.load().params().getOrDefault("awaitAcks", "false").equals("true")) {
      limits.add(
          new Limit(
              "acks that are awaited",
              row.load().receivers() * number(row.load().params(), "receiveMax")));
    }
    if (row.target().settings().containsKey(SOCKET_BUFFER)) {
      limits.add(
          new Limit(
              "the socket's buffer",
              row.load().receivers()
                  * number(row.target().settings(), SOCKET_BUFFER)
                  / number(row.load().params(), "bodyBytes")));
    }
    return limits;
  }

  private static double number(Map<String, String> values, String name) {
    return Double.parseDouble(values.getOrDefault(name, "1"));
  }

  private static String name(Group group) {
    return "%s %d receivers, receiveMax %s%s"
        .formatted(
            group.params().getOrDefault("mode", ""),
            group.receivers(),
            group.params().getOrDefault("receiveMax", "-"),
            group.params().getOrDefault("awaitAcks", "").equals("true") ? ", awaited" : "");
  }

  private static int millis(Row row) {
    return Integer.parseInt(row.load().params().getOrDefault(RTT, "0"));
  }

  private static double rate(Row row) {
    return row.headline().messagesPerSecond();
  }
}
