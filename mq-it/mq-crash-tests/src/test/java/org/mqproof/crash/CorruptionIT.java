package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.TestCluster;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;
import org.mqproof.spi.MqProvider;

/**
 * What each system does with a file of one node that was damaged while the node was dead. It is
 * told and not judged: no system here promises anything for this case. Modes are the adapters'
 * defaults. One line of each run begins with {@code corruption}; {@code docs/durability.md} has
 * them as a table.
 */
@Tag(Tags.FULL)
@Timeout(900) // ends what hangs
class CorruptionIT {

  private static final int MESSAGES = 5_000;
  private static final int BATCH = 100;
  private static final int BODY_BYTES = 1_000;

  /** Where the middle of a message is looked for in files: the ledger's own bytes come first. */
  private static final int FROM = 500;

  private static final int LOOKED_FOR = 32;
  private static final int LINES_SHOWN = 3;

  private static final Pattern NAMES_DAMAGE =
      Pattern.compile("checksum|corrupt|crc|truncat", Pattern.CASE_INSENSITIVE);

  private static final Duration SILENCE = Duration.ofSeconds(20);
  private static final int LOOKS_FOR_LEADER = 6;

  private enum Damage {
    FLIPPED_BIT("one bit flipped"),
    CUT_FILE("file ends there");

    private final String words;

    Damage(String words) {
      this.words = words;
    }
  }

  static Stream<Arguments> systemsAndDamages() {
    return Stream.of(
            "kafka",
            "rabbitmq",
            "mongodb",
            "artemis",
            "activemq",
            "postgresql",
            "nats",
            "valkey",
            "sqs")
        .flatMap(system -> Stream.of(Damage.values()).map(damage -> Arguments.of(system, damage)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("systemsAndDamages")
  @DisplayName("a file of the queue's leader is damaged while it is dead; what comes is told")
  void aDamagedFile(String system, Damage damage) throws Exception {
    try (Cluster cluster =
        TestCluster.start(
            TestCluster.runnable(system), Map.of(ClusterProvider.POWER_PROPERTY, "true"))) {
      Map<String, String> settings = cluster.settings();
      String queue = "damaged-" + System.nanoTime();
      Ledger ledger = new Ledger();
      byte[] pattern;
      try (Mq mq = MqProvider.named(system).connect(settings)) {
        mq.createQueue(queue);
        cluster.heal();
        pattern = sendAll(mq, queue, ledger);
      }
      int node = cluster.leader(queue);
      cluster.kill(node);
      String done = damage(cluster.disk(node), pattern, damage);
      String restarted = restart(cluster, queue, node);
      boolean drained = drain(system, settings, queue, ledger);
      Verdict verdict = ledger.verdict(drained);
      System.out.printf(
          Locale.ROOT,
          "corruption\t%s %s\t%s\t%s\t%s\tconfirmed %d, lost %d, wrong bytes %d, again %d%n",
          system,
          cluster.version(),
          damage.words,
          done,
          restarted,
          verdict.confirmed(),
          verdict.lost(),
          verdict.corrupt(),
          verdict.duplicated());
      assertThat(verdict.confirmed()).isEqualTo(MESSAGES);
    }
  }

  /** Sends bodies that no compression makes smaller; returns some bytes of the middle one. */
  private static byte[] sendAll(Mq mq, String queue, Ledger ledger) throws InterruptedException {
    Random random = new Random(1);
    SenderLog log = ledger.sender(0);
    byte[] pattern = new byte[LOOKED_FOR];
    try (Sender sender = mq.sender(queue)) {
      for (int sent = 0; sent < MESSAGES; sent += BATCH) {
        List<Message> batch = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
          byte[] body = new byte[BODY_BYTES];
          random.nextBytes(body);
          batch.add(new Message(body));
        }
        long first = log.stamp(batch, System.nanoTime());
        sender.send(batch);
        log.confirmed(first, BATCH);
        if (sent == MESSAGES / 2) {
          System.arraycopy(batch.get(BATCH / 2).body(), FROM, pattern, 0, LOOKED_FOR);
        }
      }
    }
    return pattern;
  }

  /**
   * Damages the file with those bytes, there; or, if they are in none, the largest in its middle.
   */
  private static String damage(Path disk, byte[] pattern, Damage damage) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(disk)) {
      files =
          all.filter(file -> Files.isRegularFile(file))
              .sorted(Comparator.comparingLong((Path file) -> file.toFile().length()).reversed())
              .toList();
    }
    String text = new String(pattern, StandardCharsets.ISO_8859_1);
    for (Path file : files) {
      int at = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(text);
      if (at >= 0) {
        return damage(disk, file, at, damage, "with the message");
      }
    }
    Path largest = files.get(0);
    return damage(disk, largest, Files.size(largest) / 2, damage, "the largest one");
  }

  private static String damage(Path disk, Path file, long at, Damage damage, String why)
      throws IOException {
    long size = Files.size(file);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (damage == Damage.CUT_FILE) {
        FileChannel unused = channel.truncate(at);
      } else {
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(channel.read(one, at)).isOne();
        one.put(0, (byte) (one.get(0) ^ 0x10)).flip();
        assertThat(channel.write(one, at)).isOne();
      }
    }
    return String.format(
        Locale.ROOT, "%s (%s), byte %,d of %,d", disk.relativize(file), why, at, size);
  }

  /** Restarts the node, and has it lead if it will: what it has is read then. */
  private static String restart(Cluster cluster, String queue, int node) {
    try {
      cluster.restart(node);
    } catch (ClusterException e) {
      return "does not come back: " + reason(e);
    }
    try {
      for (int i = 0; i < LOOKS_FOR_LEADER && cluster.nodes() > 1; i++) {
        int leader = cluster.leader(queue);
        if (leader == node) {
          return "comes back, and leads";
        }
        cluster.kill(leader);
        Await.until(
            "another leader", CrashHarness.PATIENCE, () -> cluster.anotherLeads(queue, leader));
        cluster.heal();
      }
      return cluster.nodes() > 1 ? "comes back, and never led" : "comes back";
    } catch (ClusterException | AssertionError e) {
      return "comes back; later: " + reason(e);
    }
  }

  /** The lines that name the damage, or else the first ones. */
  private static String reason(Throwable error) {
    List<String> lines = String.valueOf(error.getMessage()).lines().map(String::strip).toList();
    List<String> naming = lines.stream().filter(NAMES_DAMAGE.asPredicate()).toList();
    return (naming.isEmpty() ? lines : naming)
        .stream().limit(LINES_SHOWN).collect(Collectors.joining(" | "));
  }

  /** Whether nothing more came; false if the queue is out of reach. */
  private static boolean drain(
      String system, Map<String, String> settings, String queue, Ledger ledger)
      throws InterruptedException {
    ReceiverLog log = ledger.newReceiver();
    try (Mq mq = MqProvider.named(system).connect(settings);
        Receiver receiver = mq.receiver(queue)) {
      long deliveredAt = System.nanoTime();
      while (!ledger.allConfirmedDelivered() && Await.since(deliveredAt).compareTo(SILENCE) < 0) {
        if (!CrashHarness.receiveAndAck(receiver, log).isEmpty()) {
          deliveredAt = System.nanoTime();
        }
      }
      return true;
    } catch (MqException e) {
      System.out.printf("corruption, %s: the rest is out of reach: %s%n", system, e.getMessage());
      return false;
    }
  }
}
