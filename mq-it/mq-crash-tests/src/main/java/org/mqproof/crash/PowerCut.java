package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.ledger.ReceiverLog;

/**
 * All nodes lose their power at once. The disks are synced before the load, so that the cluster and
 * the queue are there again, whatever becomes of the messages. Nobody receives meanwhile but one
 * receiver, shortly before the cut: what it acked must not come back, and all the rest must still
 * be there.
 */
final class PowerCut extends Fault {

  /** Its name, in tables. */
  static final String ALL_NODES = "power cut of all nodes";

  /** How many seconds of load come before the cut; the kernel writes back what is older than 30. */
  private static final int LOAD_SECONDS = Integer.getInteger("mqproof.load.seconds", 3);

  private static final int ACKED = 300;

  private static final int FILES_SHOWN = 3;

  private final Duration delay;
  private final List<Map<Path, Long>> sizesBefore = new ArrayList<>();
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private @Nullable Receiver holder;
  private @Nullable ReceiverLog holderLog;

  /** A run on a system that writes at once. */
  PowerCut() {
    this(Duration.ZERO);
  }

  /**
   * A run on a system that writes a queue some time after it was created.
   *
   * @param delay how long to wait before the disks are synced
   */
  PowerCut(Duration delay) {
    super(ALL_NODES, "ALO-20, ALO-21", Harms.POWER);
    this.delay = delay;
  }

  /** None: what was sent before must still be there. */
  @Override
  protected int receivers() {
    return 0;
  }

  @Override
  protected void prepare(Cell cell) throws Exception {
    Thread.sleep(delay.toMillis());
    Disks.sync(cell.cluster());
  }

  @Override
  protected void awaitMoment(Cell cell) throws Exception {
    cell.awaitLoad();
    cell.awaitRandom(Duration.ofSeconds(LOAD_SECONDS), Duration.ofSeconds(LOAD_SECONDS + 1L));
    int acked = 0;
    long deadline = System.nanoTime() + CrashHarness.PATIENCE.toNanos();
    while (acked < ACKED) {
      assertThat(System.nanoTime() - deadline).as("%d acked", acked).isNegative();
      try {
        acked += receiveAndAck(cell, ACKED - acked);
      } catch (MqException | ExecutionException e) {
        close(); // a busy machine was slower than a call's bound: another receiver goes on
      }
    }
    counts.put("acked-before", (long) acked);
  }

  private int receiveAndAck(Cell cell, int most)
      throws InterruptedException, ExecutionException, TimeoutException {
    Receiver receiver = holder == null ? cell.mq().receiver(cell.queue()) : holder;
    ReceiverLog log = holderLog == null ? cell.ledger().newReceiver() : holderLog;
    holder = receiver;
    holderLog = log;
    List<Delivery> batch = receiver.receive(most, Duration.ofSeconds(1));
    log.delivered(batch, sentAtNanos -> {});
    log.ack(receiver, batch).get(CrashHarness.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    return batch.size();
  }

  @Override
  protected void strike(Cell cell) throws IOException {
    for (Path disk : Disks.of(cell.cluster())) {
      sizesBefore.add(sizes(disk));
      Disks.writeWitness(disk);
    }
    cell.cutPowerOfAllNodes();
    counts.put("confirmed-before", cell.load().confirmed());
  }

  @Override
  protected String tookEffect(Cell cell) throws IOException {
    String dead = cell.assertKilledAreDead();
    List<String> shrunk = new ArrayList<>();
    List<Path> disks = Disks.of(cell.cluster());
    for (int i = 0; i < disks.size(); i++) {
      Disks.assertWitnessIsGone(disks.get(i), "disk " + (i + 1));
      Map<Path, Long> after = sizes(disks.get(i));
      shrunk.add("disk %d: %s".formatted(i + 1, shrunk(sizesBefore.get(i), after)));
    }
    return "%s; %d confirmed and %d acked before; files cut short or gone: %s"
        .formatted(
            dead,
            counts.get("confirmed-before"),
            counts.get("acked-before"),
            String.join("; ", shrunk));
  }

  private static Map<Path, Long> sizes(Path disk) throws IOException {
    Map<Path, Long> sizes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(disk)) {
      for (Path file : files.toList()) {
        if (Files.isRegularFile(file)) {
          sizes.put(disk.relativize(file), Files.size(file));
        }
      }
    }
    return sizes;
  }

  private static String shrunk(Map<Path, Long> before, Map<Path, Long> after) {
    Map<Path, Long> less = new LinkedHashMap<>();
    before.forEach(
        (file, size) -> {
          if (after.getOrDefault(file, 0L) < size) {
            less.put(file, size - after.getOrDefault(file, 0L));
          }
        });
    String back = back(before, after);
    if (less.isEmpty()) {
      return "none" + back;
    }
    String most =
        less.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(FILES_SHOWN)
            .map(
                file ->
                    after.containsKey(file.getKey())
                        ? String.format(
                            Locale.ROOT,
                            "%s from %,d to %,d bytes",
                            file.getKey(),
                            before.get(file.getKey()),
                            after.get(file.getKey()))
                        : String.format(
                            Locale.ROOT,
                            "%s of %,d bytes gone",
                            file.getKey(),
                            before.get(file.getKey())))
            .collect(Collectors.joining(", "));
    String count = less.size() <= FILES_SHOWN ? "" : less.size() + " files, most of all ";
    return count + most + back;
  }

  /** Files whose deletion or renaming was lost with the power. */
  private static String back(Map<Path, Long> before, Map<Path, Long> after) {
    List<String> back =
        after.keySet().stream()
            .filter(file -> !before.containsKey(file))
            .map(Path::toString)
            .limit(FILES_SHOWN)
            .toList();
    return back.isEmpty() ? "" : "; there again " + String.join(", ", back);
  }

  @Override
  protected void heal(Cell cell) {
    cell.cluster().heal();
    cell.awaitEverySender();
    close(); // only now: what it holds was in flight when the power went
  }

  @Override
  protected Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void close() {
    Receiver receiver = holder;
    if (receiver != null) {
      holder = null;
      if (holderLog != null) {
        holderLog.gaveBack();
        holderLog = null;
      }
      receiver.close();
    }
  }
}
