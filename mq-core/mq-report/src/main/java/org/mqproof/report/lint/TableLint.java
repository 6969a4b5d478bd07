package org.mqproof.report.lint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mqproof.report.lint.Column.Side;
import org.mqproof.report.lint.PublishedTable.PublishedRow;

/**
 * Holds a published table to the laws. A figure gets one finding, the gravest. What rounding can
 * have done is always granted. For one thread.
 */
final class TableLint {

  /** The study's histograms: 0, 50, 100 ... ms. */
  static final double BUCKETS_OF_2017_MILLIS = 50;

  private static final Pattern BATCH = Pattern.compile("(\\d{1,9})(?:(?:-|\\.\\.)(\\d{1,9}))?");

  /** Fewer equal figures, or a smaller share of a column, can be chance. */
  private static final int CROWD = 3;

  private static final double CROWD_SHARE = 0.25;

  /** How far above the column's median its highest figure has to be to be taken for an end. */
  private static final double FAR = 10;

  private final PublishedTable table;
  private final double bucketMillis;
  private final Map<String, Double> ends = new HashMap<>();
  private final Map<String, Boolean> crowded = new HashMap<>();
  private final List<Finding> findings = new ArrayList<>();
  private int judged;

  /**
   * Prepares to judge.
   *
   * @param bucketMillis width of the histogram's buckets to look for; 0 looks for none
   */
  TableLint(PublishedTable table, double bucketMillis) {
    this.table = table;
    this.bucketMillis = bucketMillis;
  }

  Report lint() {
    for (String column : Column.latencies()) {
      List<Figure> figures =
          table.rows().stream().flatMap(row -> row.figure(column).stream()).toList();
      end(figures).ifPresent(end -> ends.put(column, end));
    }
    for (Side side : Side.values()) {
      for (Statistic statistic : Statistic.PERCENTILES) {
        crowded.put(Column.latency(side, statistic), crowded(side, statistic));
      }
    }
    for (PublishedRow row : table.rows()) {
      for (Side side : Side.values()) {
        latencies(row, side);
      }
      roundTrip(row);
    }
    return new Report(List.copyOf(findings), table.rows().size(), judged, unread());
  }

  /**
   * The longest mean time that a row leaves for its latency.
   *
   * @param printed by the rate as printed, milliseconds
   * @param granted by the least rate that rounds to the printed one, milliseconds
   * @param because the reason, as the beginning of a sentence
   */
  record Ceiling(double printed, double granted, String because) {}

  /** Empty where a row does not say how many threads sent how much in which batches. */
  static Optional<Ceiling> ceiling(PublishedRow row, Side side) {
    Optional<Figure> rate = row.figure(Column.rate(side)).filter(figure -> figure.least() > 0);
    return rate.flatMap(r -> side == Side.SEND ? sendCeiling(row, r) : processingCeiling(row, r));
  }

  private static Optional<Ceiling> sendCeiling(PublishedRow row, Figure rate) {
    Optional<Figure> nodes = row.figure(Column.NODES);
    Optional<Figure> threads = row.figure(Column.THREADS);
    Matcher batch = BATCH.matcher(row.text(Column.BATCH.text()));
    if (nodes.isEmpty() || threads.isEmpty() || !batch.matches()) {
      return Optional.empty();
    }
    double least = Double.parseDouble(batch.group(1));
    double most = batch.group(2) == null ? least : Double.parseDouble(batch.group(2));
    double meanBatch = (least + most) / 2;
    double window = row.figure(Column.WINDOW).map(Figure::value).orElse(1.0);
    double threadsInAll = nodes.get().value() * threads.get().value();
    double messages = threadsInAll * window * meanBatch;
    return Optional.of(
        new Ceiling(
            Bounds.meanMillis(messages, rate.value()),
            Bounds.meanMillis(messages, rate.least()),
            "%s sent %s messages a second in batches of %s, so a send took at most %s ms on average"
                .formatted(
                    threadsInAll == 1
                        ? "one thread"
                        : Bounds.number(threadsInAll) + " threads together",
                    rate.text(),
                    Bounds.number(meanBatch),
                    Bounds.number(Bounds.meanMillis(messages, rate.value())))));
  }

  private static Optional<Ceiling> processingCeiling(PublishedRow row, Figure rate) {
    return row.figure(Column.IN_FLIGHT)
        .map(
            most ->
                new Ceiling(
                    Bounds.meanMillis(most.value(), rate.value()),
                    Bounds.meanMillis(most.value(), rate.least()),
                    "%s messages a second with at most %s on their way leave each at most %s ms on average"
                        .formatted(
                            rate.text(),
                            most.text(),
                            Bounds.number(Bounds.meanMillis(most.value(), rate.value())))));
  }

  private void latencies(PublishedRow row, Side side) {
    Optional<Ceiling> ceiling = ceiling(row, side);
    Optional<Figure> mean = row.figure(Column.latency(side, Statistic.MEAN));
    if (mean.isPresent() && ceiling.isPresent()) {
      judged++;
      if (mean.get().least() > ceiling.get().granted()) {
        add(
            row,
            Column.latency(side, Statistic.MEAN),
            Law.LITTLE,
            "a mean of %s ms cannot be: %s".formatted(mean.get().text(), ceiling.get().because()));
      }
    }
    for (Statistic statistic : Statistic.RISING) {
      String column = Column.latency(side, statistic);
      row.figure(column)
          .flatMap(
              figure ->
                  tooHigh(row, column, statistic, figure, mean, ceiling)
                      .or(() -> outOfOrder(row, side, statistic, figure, mean))
                      .or(() -> end(row, column, figure))
                      .or(() -> bucket(row, column, statistic, figure)))
          .ifPresent(findings::add);
    }
  }

  private Optional<Finding> tooHigh(
      PublishedRow row,
      String column,
      Statistic statistic,
      Figure figure,
      Optional<Figure> mean,
      Optional<Ceiling> ceiling) {
    if (!Statistic.PERCENTILES.contains(statistic)) {
      return Optional.empty();
    }
    double quantile = statistic.quantile();
    String times = Bounds.number(1 / (1 - quantile));
    if (mean.isPresent()) {
      judged++;
      double most = Bounds.percentile(mean.get().most(), quantile);
      if (figure.least() > most) {
        return finding(
            row,
            column,
            Law.MARKOV,
            "%s ms cannot be with a mean of %s ms: no %s is above %s times the mean"
                .formatted(figure.text(), mean.get().text(), statistic.text(), times));
      }
    }
    if (ceiling.isPresent()) {
      judged++;
      if (figure.least() > Bounds.percentile(ceiling.get().granted(), quantile)) {
        return finding(
            row,
            column,
            Law.MARKOV,
            "%s ms cannot be: %s (%s), and no %s is above %s times the mean, here %s ms"
                .formatted(
                    figure.text(),
                    ceiling.get().because(),
                    Law.LITTLE.text(),
                    statistic.text(),
                    times,
                    Bounds.number(Bounds.percentile(ceiling.get().printed(), quantile))));
      }
    }
    return Optional.empty();
  }

  private Optional<Finding> outOfOrder(
      PublishedRow row, Side side, Statistic statistic, Figure figure, Optional<Figure> mean) {
    String column = Column.latency(side, statistic);
    if (statistic == Statistic.MAX && mean.isPresent()) {
      judged++;
      if (mean.get().least() > figure.most()) {
        return finding(
            row,
            column,
            Law.ORDER,
            "a mean of %s ms cannot be above the largest sample, %s ms"
                .formatted(mean.get().text(), figure.text()));
      }
    }
    for (Statistic lower : Statistic.RISING.subList(0, Statistic.RISING.indexOf(statistic))) {
      Optional<Figure> below = row.figure(Column.latency(side, lower));
      if (below.isPresent()) {
        judged++;
        if (below.get().least() > figure.most()) {
          return finding(
              row,
              column,
              Law.ORDER,
              "%s ms cannot be below the %s of %s ms"
                  .formatted(figure.text(), lower.text(), below.get().text()));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Finding> end(PublishedRow row, String column, Figure figure) {
    Double end = ends.get(column);
    judged++;
    return end == null || figure.value() != end
        ? Optional.empty()
        : finding(
            row,
            column,
            Law.SATURATION,
            "%s ms is where the scale ends: the table's largest figure, %s times in its column, and far from the others; it says no more than that or above"
                .formatted(figure.text(), count(column, end)));
  }

  private long count(String column, double value) {
    return table.rows().stream()
        .flatMap(row -> row.figure(column).stream())
        .filter(figure -> figure.value() == value)
        .count();
  }

  private static Optional<Double> end(List<Figure> figures) {
    double[] sorted = figures.stream().mapToDouble(Figure::value).sorted().toArray();
    if (sorted.length <= CROWD) {
      return Optional.empty();
    }
    double largest = sorted[sorted.length - 1];
    boolean repeated = sorted[sorted.length - CROWD] == largest;
    boolean far = largest > FAR * sorted[sorted.length / 2];
    return repeated && far ? Optional.of(largest) : Optional.empty();
  }

  private Optional<Finding> bucket(
      PublishedRow row, String column, Statistic statistic, Figure figure) {
    if (!crowded.getOrDefault(column, false) || !inBand(statistic, figure)) {
      return Optional.empty();
    }
    return finding(
        row,
        column,
        Law.BUCKET,
        String.format(
            Locale.ROOT,
            "%s ms says no more than below %s ms: a histogram with buckets of %s ms prints %.1f to %.1f ms when nearly all samples are in its first one, be they 1 ms or 40",
            figure.text(),
            Bounds.number(bucketMillis),
            Bounds.number(bucketMillis),
            lowest(statistic),
            highest(statistic)));
  }

  /** Enough of a column to be no chance: a single figure of 48 ms may well be 48 ms. */
  private boolean crowded(Side side, Statistic statistic) {
    List<Figure> figures =
        table.rows().stream()
            .flatMap(row -> row.figure(Column.latency(side, statistic)).stream())
            .toList();
    long in = figures.stream().filter(figure -> inBand(statistic, figure)).count();
    return in >= CROWD && in >= CROWD_SHARE * figures.size();
  }

  private boolean inBand(Statistic statistic, Figure figure) {
    return bucketMillis > 0
        && statistic.quantile() >= Statistic.P90.quantile()
        && figure.most() >= lowest(statistic)
        && figure.least() <= highest(statistic);
  }

  /** Two thirds of the samples are 0 ms and have a bucket of their own; none is above the first. */
  private double lowest(Statistic statistic) {
    return bucketMillis * (3 * statistic.quantile() - 2);
  }

  /** No sample is 0 ms; two in a hundred are above the first bucket. */
  private double highest(Statistic statistic) {
    return bucketMillis * Math.min(1, statistic.quantile() / 0.98);
  }

  private void roundTrip(PublishedRow row) {
    Optional<Figure> trip = row.figure(Column.RTT);
    Optional<Figure> most = row.figure(Column.IN_FLIGHT);
    Optional<Figure> rate = row.figure(Column.RECEIVE_RATE);
    if (trip.isEmpty() || most.isEmpty() || rate.isEmpty()) {
      return;
    }
    judged++;
    if (rate.get().least() * trip.get().least() / 1000 > most.get().value()) {
      add(
          row,
          Column.RTT.text(),
          Law.LITTLE,
          "%s messages a second cannot be with at most %s on their way and a round trip of %s ms: that gives %s at most"
              .formatted(
                  rate.get().text(),
                  most.get().text(),
                  trip.get().text(),
                  Bounds.number(1000 * most.get().value() / trip.get().value())));
    }
  }

  /** Cells that would be judged if they were numbers. */
  private List<String> unread() {
    List<String> unread = new ArrayList<>();
    for (PublishedRow row : table.rows()) {
      row.cells()
          .forEach(
              (column, text) -> {
                boolean number =
                    !List.of(Column.ROW_ID.text(), Column.SYSTEM.text(), Column.BATCH.text())
                        .contains(column);
                if (number && Figure.of(text).isEmpty()) {
                  unread.add("%s %s '%s'".formatted(row.name(), column, text));
                }
              });
    }
    return unread;
  }

  private void add(PublishedRow row, String figure, Law law, String sentence) {
    findings.add(new Finding(row.name(), figure, law, sentence));
  }

  private static Optional<Finding> finding(
      PublishedRow row, String figure, Law law, String sentence) {
    return Optional.of(new Finding(row.name(), figure, law, sentence));
  }
}
