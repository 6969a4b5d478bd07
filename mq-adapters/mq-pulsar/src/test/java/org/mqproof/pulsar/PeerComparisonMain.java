package org.mqproof.pulsar;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Sender;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Tool;
import org.mqproof.comparison.Usage;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * This adapter beside Pulsar's own tool, on the same topic of one three-node cluster, in pairs.
 * {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  /** The newest that Maven Central has; it speaks the same protocol as the brokers here. */
  private static final String PULSAR_PERF = "org.apache.pulsar:pulsar-testclient:4.0.8";

  /** Only other commands need it, and what it needs is not all to be had. */
  private static final String BROKER = "org.apache.pulsar:pulsar-broker";

  /** The tool logs what it found; its own logging needs a configuration. */
  private static final String TO_STDERR = "org.slf4j:slf4j-simple:2.0.17";

  private static final int BYTES = 1_024; // what the tool sends unless told otherwise
  private static final int BATCH = 10;
  private static final int WINDOW = 1_000;

  /** The tool tells its rate every 10 s: the first time counts as its warm-up. */
  private static final Duration TOLD_TWICE = Duration.ofSeconds(22);

  private static final Pattern TOLD =
      Pattern.compile("produced: .* --- +([\\d.,]+) +msg/s --- .* failure +([\\d.,]+) +msg/s");

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    int status =
        new Comparison(
                PeerComparisonMain.class,
                "pulsar",
                List.of(
                    Workload.of(
                        "send",
                        PeerComparisonMain::sendThroughMq,
                        "pulsar-perf produce",
                        PeerComparisonMain::produce)))
            .run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  // One sender with at most 1,000 unconfirmed messages. Rate of confirms.

  private static Rate sendThroughMq(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        // The first one warms this JVM up for as long as the tool's first ten seconds do.
        Rate unused = Load.of(List.of(() -> sendWindowed(mq.sender(queue))));
        return Load.of(List.of(() -> sendWindowed(mq.sender(queue))));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** The batch whose place is used again is confirmed by then, and counts. */
  private static Load.Step sendWindowed(Sender sender) {
    List<Message> batch = Load.messages(BATCH, BYTES);
    List<CompletableFuture<?>> open = new ArrayList<>();
    int[] next = {0};
    return () -> {
      if (open.size() < WINDOW / BATCH) {
        open.add(sender.sendAsync(batch));
        return 0;
      }
      int slot = next[0]++ % open.size();
      open.get(slot).get(1, TimeUnit.MINUTES);
      open.set(slot, sender.sendAsync(batch));
      return batch.size();
    };
  }

  private static Rate produce(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      PulsarSettings all = new PulsarSettings(Settings.of(new PulsarMqProvider(), settings));
      try {
        return rateOf(perf(all, queue));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  // The tool.

  private static List<Tool.Line> perf(PulsarSettings settings, String queue) throws Exception {
    List<Path> artifacts =
        MavenClassPath.resolve(
            "pulsar-perf",
            List.of(PULSAR_PERF, TO_STDERR),
            List.of("org.apache.logging.log4j:log4j-slf4j2-impl", BROKER),
            System.err::println);
    StringJoiner classPath = new StringJoiner(File.pathSeparator);
    classPath.add(PulsarPerfMain.directory().toString());
    artifacts.forEach(artifact -> classPath.add(artifact.toString()));
    return Tool.run(
        "pulsar-perf produce",
        classPath.toString(),
        PulsarPerfMain.class.getName(),
        List.of(
            "--service-url",
            settings.get(PulsarSettings.SERVICE_URL),
            "--rate",
            "100000000",
            "--size",
            Integer.toString(BYTES),
            "--max-outstanding",
            Integer.toString(WINDOW),
            "--batch-time-window",
            Long.toString(settings.get(PulsarSettings.BATCH_DELAY).toMillis()),
            "--batch-max-bytes",
            Integer.toString(settings.get(PulsarSettings.BATCH_BYTES)),
            "--test-duration",
            Long.toString(TOLD_TWICE.toSeconds()),
            settings.topic(queue)));
  }

  private static Rate rateOf(List<Tool.Line> lines) {
    List<Double> rates = new ArrayList<>();
    List<Usage> used = new ArrayList<>();
    for (Tool.Line line : lines) {
      Matcher told = TOLD.matcher(line.text());
      if (told.find()) {
        if (number(told.group(2)) > 0) {
          throw new IllegalStateException("messages failed: " + line.text());
        }
        rates.add(number(told.group(1)));
        used.add(line.usage());
      }
    }
    if (rates.size() < 2) {
      throw new IllegalStateException("pulsar-perf told no rate: " + lines);
    }
    return Rate.of(rates.get(1), used.get(0), used.get(1));
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }

  // What both sides share.

  private static Mq connect(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.putIfAbsent("send.window", Integer.toString(WINDOW));
    return MqProvider.named("pulsar").connect(all);
  }

  private static String newQueue(Mq mq) {
    String queue = "peers-" + Long.toHexString(System.nanoTime());
    mq.createQueue(queue);
    return queue;
  }
}
