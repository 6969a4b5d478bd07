package org.mqproof.jmh.measure;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes the histogram of each measured second to a log per kind of latency, in HdrHistogram's own
 * format and in nanoseconds; HistogramLogProcessor and the usual viewers read it. Not thread-safe.
 */
public final class IntervalLogs implements Timeline.Log, AutoCloseable {

  private final Path directory;
  private final String trial;
  private final long originMillis;
  private final Map<Timeline.Kind, HistogramLogWriter> writers = new EnumMap<>(Timeline.Kind.class);

  /**
   * Writes to {@code TRIAL-send.hlog} and {@code TRIAL-processing.hlog}, each made when there is
   * something to write.
   *
   * @param originMillis wall clock at the start of second 0, milliseconds since 1970
   */
  public IntervalLogs(Path directory, String trial, long originMillis) {
    this.directory = directory;
    this.trial = trial;
    this.originMillis = originMillis;
  }

  @Override
  public void second(Timeline.Kind kind, long second, Distribution measured) {
    HistogramLogWriter writer = writers.computeIfAbsent(kind, this::open);
    Histogram histogram = measured.histogram();
    histogram.setStartTimeStamp(originMillis + second * 1000);
    histogram.setEndTimeStamp(originMillis + second * 1000 + 1000);
    writer.outputIntervalHistogram(histogram);
    if (measured.negatives() > 0) {
      writer.outputComment(
          "%d samples below zero, down to %d ns, are not in this histogram"
              .formatted(measured.negatives(), measured.min()));
    }
  }

  private HistogramLogWriter open(Timeline.Kind kind) {
    try {
      String name = trial + "-" + kind.name().toLowerCase(Locale.ROOT) + ".hlog";
      HistogramLogWriter writer = new HistogramLogWriter(directory.resolve(name).toFile());
      writer.outputComment("[MqProof " + trial + ", nanoseconds, measured iterations only]");
      writer.outputLogFormatVersion();
      writer.outputStartTime(originMillis);
      writer.setBaseTime(originMillis);
      writer.outputBaseTime(originMillis);
      writer.outputLegend();
      return writer;
    } catch (FileNotFoundException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    writers.values().forEach(HistogramLogWriter::close);
  }
}
