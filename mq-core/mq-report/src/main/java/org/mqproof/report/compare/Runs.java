package org.mqproof.report.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Results;
import org.mqproof.report.Row;
import org.mqproof.report.Standing;
import org.mqproof.report.Throughput;

/**
 * Puts the rows of two runs side by side. Several results of one side are one run with more forks.
 * Immutable.
 */
final class Runs {

  private final Map<Key, List<Row>> before;
  private final Map<Key, List<Row>> after;

  /**
   * What makes two rows the same measurement. Not the broker's version, nor settings that no
   * parameter gives: those are what one compares.
   */
  private record Key(String benchmark, Map<String, String> params, int senders, int receivers) {}

  Runs(List<Results> before, List<Results> after) {
    this.before = rows(before);
    this.after = rows(after);
  }

  private static Map<Key, List<Row>> rows(List<Results> results) {
    Map<Key, List<Row>> rows = new LinkedHashMap<>();
    for (Row row : results.stream().flatMap(r -> r.rows().stream()).toList()) {
      Key key =
          new Key(
              row.load().benchmark(),
              new TreeMap<>(row.load().params()),
              row.load().senders(),
              row.load().receivers());
      rows.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
    }
    return rows;
  }

  /** How many rows can be compared as rates. */
  int comparable() {
    return (int)
        before.keySet().stream()
            .filter(key -> unfit(key).isEmpty())
            .filter(key -> fewestForks(key) >= Method.LEAST_FORKS)
            .count();
  }

  /** A comparison per row of either run, in the order of the first. */
  List<Comparison> compare(Method method) {
    Method each = method.sharedBy(comparable());
    List<Comparison> comparisons = new ArrayList<>();
    for (Key key : before.keySet()) {
      comparisons.add(unfit(key).orElseGet(() -> compare(key, each)));
    }
    after.keySet().stream()
        .filter(key -> !before.containsKey(key))
        .map(key -> Comparison.not(label(key), Call.NOT_COMPARED, "not in the first run"))
        .forEach(comparisons::add);
    return comparisons;
  }

  /** Why a row is not compared as a rate; empty if it is. */
  private Optional<Comparison> unfit(Key key) {
    String label = label(key);
    Optional<String> doubtBefore = doubt(before.get(key));
    Optional<String> doubtAfter = doubt(after.get(key));
    if (doubtBefore.isPresent()) {
      return Optional.of(
          Comparison.not(label, Call.NOT_COMPARED, "the first run " + doubtBefore.get()));
    }
    return doubtAfter.map(
        doubt -> Comparison.not(label, Call.PROOF_LOST, "the second run " + doubt));
  }

  /** Why the rates of these rows mean nothing; empty if they are proven. */
  private static Optional<String> doubt(@Nullable List<Row> rows) {
    if (rows == null) {
      return Optional.of("has no such row");
    }
    if (rows.stream().anyMatch(row -> row.standing() == Standing.VOID)) {
      return Optional.of("failed, or its verdict does not hold");
    }
    return rows.stream().anyMatch(row -> row.standing() == Standing.UNVERIFIED)
        ? Optional.of("was not verified")
        : Optional.empty();
  }

  private Comparison compare(Key key, Method method) {
    double[] first = forks(before.getOrDefault(key, List.of()));
    double[] second = forks(after.getOrDefault(key, List.of()));
    if (fewestForks(key) < Method.LEAST_FORKS) {
      return new Comparison(
          label(key),
          Call.TOO_NOISY,
          "%s: %d and %d forks, run %d or more of each (-f %d)"
              .formatted(
                  Call.TOO_NOISY.text(),
                  first.length,
                  second.length,
                  Method.LEAST_FORKS,
                  Method.LEAST_FORKS),
          Optional.empty(),
          StatUtils.mean(first),
          StatUtils.mean(second));
    }
    Ratio ratio = Ratio.of(first, second, method);
    Call call = ratio.call(method);
    int more = Math.max(1, ratio.forksNeeded() - Math.min(first.length, second.length));
    return new Comparison(
        label(key),
        call,
        call == Call.TOO_NOISY
            ? "%s: run %d more forks of each".formatted(call.text(), more)
            : call.text(),
        Optional.of(ratio),
        StatUtils.mean(first),
        StatUtils.mean(second));
  }

  private int fewestForks(Key key) {
    return Math.min(
        forks(before.getOrDefault(key, List.of())).length,
        forks(after.getOrDefault(key, List.of())).length);
  }

  /** The mean of each fork of each row. */
  private static double[] forks(List<Row> rows) {
    List<Double> means = new ArrayList<>();
    for (Row row : rows) {
      Map<Integer, List<Double>> forks = new TreeMap<>();
      for (Throughput.Iteration iteration : row.headline().iterations()) {
        forks
            .computeIfAbsent(iteration.fork(), fork -> new ArrayList<>())
            .add(iteration.messagesPerSecond());
      }
      forks.values().stream()
          .map(rates -> rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow())
          .forEach(means::add);
    }
    return means.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** The benchmark, its system and threads, and the parameters in which rows differ. */
  private String label(Key key) {
    StringBuilder label = new StringBuilder(key.benchmark());
    label.append(' ').append(key.params().getOrDefault("system", ""));
    label.append(' ').append(key.senders()).append('+').append(key.receivers());
    key.params()
        .forEach(
            (name, value) -> {
              boolean varies =
                  Stream.concat(before.keySet().stream(), after.keySet().stream())
                      .filter(other -> other.benchmark().equals(key.benchmark()))
                      .anyMatch(other -> !value.equals(other.params().get(name)));
              if (varies && !name.equals("system")) {
                label.append(' ').append(name).append('=').append(value);
              }
            });
    return label.toString();
  }
}
