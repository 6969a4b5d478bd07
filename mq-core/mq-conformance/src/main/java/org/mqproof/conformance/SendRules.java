package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** What was sent arrives, or the sender is told: ALO-01, ALO-03, ALO-04. One thread at a time. */
abstract class SendRules extends KitFixture {

  /** How long at most the kit waits to see whether messages are kept. */
  private static final Duration MANY_PERIODS = Duration.ofSeconds(36);

  /** Batches of which a sender does not await the outcome before the next. */
  private static final int HUNDREDS_OPEN = 200;

  /** The same where a queue takes them in time. */
  private static final int THOUSANDS_OPEN = 5_000;

  // --- ALO-01 ---

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 every message of batches of 1 to some thousands is delivered")
  void alo01_everyMessageOfEveryBatchIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> sent = new ArrayList<>();
    int most = Integer.MAX_VALUE;
    try (Sender sender = mq.sender(queue)) {
      for (int size : new int[] {1, 2, 7, 100, 1_000, draw(1_001, 4_000)}) {
        List<Message> batch = messages("of" + size + "-", Math.min(size, most));
        long start = System.nanoTime();
        sender.send(batch);
        most = mostInOneCall(batch.size(), start);
        sent.addAll(idsOf(batch));
      }
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 batches of the sizes at which clients cut, and of one more, are delivered")
  void alo01_batchesOfTheSizesOfPagesAreDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> sent = new ArrayList<>();
    int most = Integer.MAX_VALUE;
    for (int page : new int[] {10, 16, 20, 32, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1_000}) {
      for (int size = page; size <= page + 1; size++) {
        List<Message> batch = messages("of" + size + "-", Math.min(size, most));
        long start = System.nanoTime();
        sender.send(batch);
        most = mostInOneCall(batch.size(), start);
        sent.addAll(idsOf(batch));
      }
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 a batch of more messages than 16 bits can count is delivered")
  void alo01_aBatchOfMoreThan16BitsIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> sent = new ArrayList<>();
    int count = drawAbove16Bits();
    requireFast(
        count,
        few -> {
          sender.send(few);
          sent.addAll(idsOf(few));
        });
    List<Message> many = messages("m", count);
    try {
      sender.send(many);
    } catch (SendFailedException e) {
      inconclusive("a batch of %d messages is not confirmed: %s", count, e.getMessage());
    }
    sent.addAll(idsOf(many));
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 a batch of more than 2 MiB is delivered as a whole")
  void alo01_aLargeBatchIsDelivered() throws Exception {
    int size = Math.min(64 << 10, traits().largestBodyBytes());
    int count = (2 << 20) / size + draw(2, 6);
    if (count > 5_000) {
      inconclusive("bodies of %d bytes are the largest: 2 MiB are %d messages", size, count);
    }
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] body = new byte[size];
      Arrays.fill(body, (byte) 'x');
      byte[] number = ("large" + i + "-").getBytes(UTF_8);
      System.arraycopy(number, 0, body, 0, number.length);
      batch.add(new Message(body));
    }
    mq.sender(queue).send(batch);
    Set<String> missing = new LinkedHashSet<>(idsOf(batch));
    missing.removeAll(Set.copyOf(drain(mq.receiver(queue), idsOf(batch))));
    if (!missing.isEmpty()) {
      throw breach(
          "of one batch of %d bodies of %d bytes %d were not delivered: %s",
          count,
          size,
          missing.size(),
          some(missing.stream().map(id -> id.substring(0, id.indexOf('-'))).toList()));
    }
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 the list of a batch is the caller's again once sendAsync returned")
  void alo01_theListOfABatchIsTheCallersAgain() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> sent = new ArrayList<>();
    List<Message> list = new ArrayList<>();
    try (Sender sender = mq.sender(queue)) {
      int most = Integer.MAX_VALUE;
      for (int size : new int[] {1, 10, 100, draw(1_001, 2_000)}) {
        list.addAll(messages("of" + size + "-", Math.min(size, most)));
        sent.addAll(idsOf(list));
        long start = System.nanoTime();
        CompletableFuture<Void> done = sender.sendAsync(list);
        int count = list.size();
        list.clear();
        try {
          done.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
          throw breach(
              e, "sendAsync of a list that was emptied once it had returned, %d messages", count);
        }
        most = mostInOneCall(count, start);
      }
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 equal bodies and equal batches are messages of their own")
  void alo01_equalBodiesAreAllDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Message same = message("same");
    int count = 0;
    for (int size : new int[] {1, 1, draw(2, 20), 300}) {
      sender.send(Stream.generate(() -> message("same")).limit(size).toList());
      sender.send(Collections.nCopies(size, same));
      count += 2 * size;
    }
    sender.sendAsync(List.of(same, same, same)).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    count += 3;
    int delivered = drainBodies(mq.receiver(queue), count).size();
    if (delivered < count) {
      throw breach("of %d messages with the body 'same' %d were delivered", count, delivered);
    }
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 a sender that is opened again loses nothing")
  void alo01_aReopenedSenderLosesNothing() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> sent = new ArrayList<>();
    for (int life = 0; life < 6; life++) {
      // The last two over a connection of their own, and the equal first batches have equal sizes.
      Mq connection = life < 4 ? mq : open();
      try (Sender sender = connection.sender(queue)) {
        for (int i = 0; i < 3; i++) {
          List<Message> batch = messages("life" + life + "-" + i + "-", 2);
          sender.send(batch);
          sent.addAll(idsOf(batch));
        }
      }
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 a queue that several connections create at the same time loses nothing")
  void alo01_aQueueCreatedBySeveralLosesNothing() throws Exception {
    List<Mq> creators = List.of(open(), open(), open());
    long start = System.nanoTime();
    for (int round = 0; round < 2 || (round < 10 && !hasPassed(enough(), start)); round++) {
      String queue = newName();
      CountDownLatch ready = new CountDownLatch(creators.size());
      CountDownLatch created = new CountDownLatch(creators.size());
      List<BoundedCall<@Nullable Void>> creating = new ArrayList<>();
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < creators.size(); i++) {
        Mq mq = creators.get(i);
        List<Message> batch = messages("creator" + i + "-", 3);
        sent.addAll(idsOf(batch));
        creating.add(
            BoundedCall.start(
                "create a queue",
                () -> {
                  ready.countDown();
                  requireInTime(ready);
                  try {
                    newQueue(mq, queue);
                  } finally {
                    created.countDown();
                  }
                  // Some lose what is sent while others still create the queue, and say so.
                  requireInTime(created);
                  mq.sender(queue).send(batch);
                  return null;
                }));
      }
      for (BoundedCall<@Nullable Void> call : creating) {
        if (!call.endsWithinAnother(hangBound().plus(traits().callBound().multipliedBy(3)))) {
          throw breach("several created one queue at once, and one still waits%s", call.stack());
        }
        if (call.failure() != null) {
          throw breach(call.failure(), "one of several that created a queue: %s", call.failure());
        }
      }
      requireDelivered(creators.get(0).receiver(queue), sent);
    }
  }

  @Checks(AloRule.ALO_01)
  @Order(Checks.LONGEST)
  @DisplayName("ALO-01 what nobody acks for several claim periods is delivered, idle clients work")
  void alo01_whatNobodyAcksForLongIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    String idle = newQueue(mq);
    Sender sender = mq.sender(queue);
    Sender idleSender = mq.sender(idle);
    Receiver idleReceiver = mq.receiver(idle);
    warmUp(idleReceiver);
    List<Message> sent = messages("m", 9);
    sender.send(sent);
    Duration period = traits().claimPeriod().orElse(MANY_PERIODS.dividedBy(12));
    Duration time = shorter(period.multipliedBy(7).dividedBy(2), MANY_PERIODS);
    if (traits().retention().isPresent()) {
      time = shorter(time, traits().retention().orElseThrow().dividedBy(2));
    }
    if (pass(time) && traits().retention().isEmpty()) {
      pass(period.multipliedBy(100));
    }
    requireDelivered(mq.receiver(queue), idsOf(sent));
    idleSender.send(messages("idle", 2));
    requireDelivered(idleReceiver, idsOf(messages("idle", 2)));
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 what sendAsync confirmed is delivered, with hundreds to thousands open")
  void alo01_everyMessageOfManyOpenBatchesIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    long start = System.nanoTime();
    List<String> sent = new ArrayList<>(sendOpen(sender, "some", HUNDREDS_OPEN, 9));
    long nanosEach = Math.max(1, (System.nanoTime() - start) / HUNDREDS_OPEN);
    long more = Math.min(THOUSANDS_OPEN, enough().toNanos() / nanosEach);
    if (more > HUNDREDS_OPEN) {
      sent.addAll(sendOpen(sender, "many", (int) more, 1));
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  /** Sends batches without waiting in between, and then for all outcomes. */
  private List<String> sendOpen(Sender sender, String name, int batches, int largest)
      throws Exception {
    List<String> sent = new ArrayList<>();
    List<CompletableFuture<Void>> open = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < batches && !hasPassed(enough(), start); i++) {
      List<Message> batch = messages(name + i + "-", draw(1, largest));
      open.add(sender.sendAsync(batch));
      sent.addAll(idsOf(batch));
    }
    for (CompletableFuture<Void> one : open) {
      one.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    }
    return sent;
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 what was confirmed while the sender closed is delivered")
  void alo01_whatWasConfirmedWhileTheSenderClosedIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Map<List<Message>, CompletableFuture<Void>> open = sendWithoutWaiting(sender);
    sender.close();
    requireDelivered(mq.receiver(queue), confirmedOf(open, "the sender closed"));
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 what was confirmed while the connection closed is delivered")
  void alo01_whatWasConfirmedWhileTheConnectionClosedIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Mq closing = open();
    Map<List<Message>, CompletableFuture<Void>> open = sendWithoutWaiting(closing.sender(queue));
    close(closing);
    requireDelivered(mq.receiver(queue), confirmedOf(open, "the connection closed"));
  }

  private Map<List<Message>, CompletableFuture<Void>> sendWithoutWaiting(Sender sender) {
    Map<List<Message>, CompletableFuture<Void>> open = new LinkedHashMap<>();
    long start = System.nanoTime();
    for (int i = 0; i < 50 && !hasPassed(enough(), start); i++) {
      List<Message> batch = messages("batch" + i + "-", 5);
      open.put(batch, sender.sendAsync(batch));
    }
    return open;
  }

  private List<String> confirmedOf(Map<List<Message>, CompletableFuture<Void>> open, String after)
      throws Exception {
    List<String> confirmed = new ArrayList<>();
    for (Map.Entry<List<Message>, CompletableFuture<Void>> entry : open.entrySet()) {
      try {
        entry.getValue().get(patience().toMillis(), TimeUnit.MILLISECONDS);
        confirmed.addAll(idsOf(entry.getKey()));
      } catch (TimeoutException e) {
        throw breach(
            "%s, and still nobody knows the outcome of %s", after, some(idsOf(entry.getKey())));
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof SendFailedException failed)) {
          throw e;
        }
        // closing may leave an outcome unknown; what matters here is what was confirmed
        for (int i = 0; i < Math.min(failed.outcomes().size(), entry.getKey().size()); i++) {
          if (failed.outcomes().get(i) == Outcome.CONFIRMED) {
            confirmed.add(id(entry.getKey().get(i)));
          }
        }
      }
    }
    return confirmed;
  }

  private void requireDelivered(Receiver receiver, List<String> sent) throws Exception {
    Set<String> missing = new LinkedHashSet<>(sent);
    missing.removeAll(Set.copyOf(drain(receiver, sent)));
    if (!missing.isEmpty()) {
      throw breach(
          "%d of %d confirmed messages were not delivered within %s: %s",
          missing.size(), sent.size(), patience(), some(missing));
    }
  }

  // --- ALO-03 ---

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 send tells the outcome of each message, wherever too large ones are")
  void alo03_sendTellsEachOutcomeWhenSomeAreTooLarge() throws Exception {
    requireOutcomes(
        "send",
        (sender, batch) -> {
          try {
            sender.send(batch);
            return null;
          } catch (SendFailedException e) {
            return e;
          }
        });
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 sendAsync tells the outcome of each message, wherever too large ones are")
  void alo03_sendAsyncTellsEachOutcomeWhenSomeAreTooLarge() throws Exception {
    requireOutcomes("sendAsync", (sender, batch) -> failureOf(sender.sendAsync(batch)));
  }

  private interface Sending {
    @Nullable SendFailedException failureOf(Sender sender, List<Message> batch) throws Exception;
  }

  /** Below and above the sizes at which clients and brokers cut a batch, none of them round. */
  private void requireOutcomes(String what, Sending sending) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    int[] sizes = {draw(2, 9), draw(11, 40), draw(130, 300), draw(520, 980), draw(2_050, 3_000)};
    int most = Integer.MAX_VALUE;
    for (int round = 0; round < sizes.length; round++) {
      int size = Math.max(2, Math.min(sizes[round], most));
      List<Message> batch = withSomeTooLarge("round" + round + "-", size);
      long start = System.nanoTime();
      SendFailedException failure = sending.failureOf(sender, batch);
      most = mostInOneCall(size, start);
      if (failure == null) {
        throw breach(
            "%s confirmed %d messages, of which messages %s are too large to be stored",
            what, batch.size(), some(placesOfTooLarge(batch)));
      }
      requireTruth(receiver, sender, batch, failure);
      if (!((SendFailedException) requireSerialized(failure))
          .outcomes()
          .equals(failure.outcomes())) {
        throw breach(failure, "outcomes changed as the exception was serialized");
      }
    }
  }

  /**
   * Drawn places, so that reversing or shifting the outcomes shows, and one in the second half, so
   * that forgetting those after a round number does.
   */
  private List<Message> withSomeTooLarge(String prefix, int size) {
    Message tooLarge = tooLarge();
    List<Message> batch = new ArrayList<>(messages(prefix, size));
    List<Integer> places = new ArrayList<>();
    do {
      places.clear();
      places.add(draw(size / 2, size - 1));
      for (int i = draw(0, Math.min(size / 2, 8)); i > 0; i--) {
        places.add(random.nextInt(size));
      }
    } while (places.stream().allMatch(place -> places.contains(size - 1 - place)));
    places.forEach(place -> batch.set(place, tooLarge));
    return batch;
  }

  private List<Integer> placesOfTooLarge(List<Message> batch) {
    return IntStream.range(0, batch.size()).filter(i -> isTooLarge(batch.get(i))).boxed().toList();
  }

  private boolean isTooLarge(Message message) {
    return message.body().length > traits().largestBodyBytes();
  }

  private Message tooLarge() {
    int largest = traits().largestBodyBytes();
    if (largest > LARGEST_CHECKED_BYTES) {
      inconclusive(
          "bodies of %d bytes are declared; the kit sends at most %d",
          largest, LARGEST_CHECKED_BYTES);
    }
    return new Message(new byte[largest + 1]);
  }

  private void requireTruth(
      Receiver receiver, Sender sender, List<Message> batch, SendFailedException failure)
      throws Exception {
    List<Outcome> outcomes = failure.outcomes();
    if (outcomes.size() != batch.size()) {
      throw breach(failure, "%d outcomes for %d messages", outcomes.size(), batch.size());
    }
    List<String> confirmed = new ArrayList<>();
    Set<String> rejected = new LinkedHashSet<>();
    for (int i = 0; i < batch.size(); i++) {
      if (isTooLarge(batch.get(i))) {
        if (outcomes.get(i) == Outcome.CONFIRMED) {
          throw breach(
              failure,
              "message %d of %d is too large and was called CONFIRMED; too large are %s",
              i,
              batch.size(),
              some(placesOfTooLarge(batch)));
        }
      } else if (outcomes.get(i) == Outcome.CONFIRMED) {
        confirmed.add(id(batch.get(i)));
      } else if (outcomes.get(i) == Outcome.REJECTED) {
        rejected.add(id(batch.get(i)));
      }
    }
    String marker = "marker" + batch.size();
    sender.send(List.of(message(marker)));
    confirmed.add(marker);
    Set<String> seen = new HashSet<>(drain(receiver, confirmed));
    // No order is asked for here: what was stored may come after the marker.
    Set<String> lost = new LinkedHashSet<>(confirmed);
    lost.removeAll(seen);
    if (!lost.isEmpty()) {
      throw breach(
          failure,
          "%s were called CONFIRMED and not delivered; too large were messages %s of %d",
          some(lost),
          some(placesOfTooLarge(batch)),
          batch.size());
    }
    if (!rejected.isEmpty()) {
      seen.addAll(besidesMarker(receiver, sender, marker + "again"));
    }
    rejected.retainAll(seen);
    if (!rejected.isEmpty()) {
      throw breach(
          failure,
          "%s were called REJECTED and delivered; too large were messages %s of %d",
          some(rejected),
          some(placesOfTooLarge(batch)),
          batch.size());
    }
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 closing the connection under senders leaves a truthful outcome for each")
  void alo03_closingTheConnectionLeavesTruthfulOutcomes() throws Exception {
    long start = System.nanoTime();
    // What of the senders' calls is under way at that moment is luck.
    for (int i = 0; i < 3 || (i < 30 && !hasPassed(enough(), start)); i++) {
      requireTruthfulOutcomesOfClose();
    }
  }

  private void requireTruthfulOutcomesOfClose() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Mq closing = open();
    Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
    List<BoundedCall<@Nullable Void>> sending = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      Sender sender = closing.sender(queue);
      String name = "sender" + i + "-";
      boolean async = i % 2 == 1;
      sending.add(
          BoundedCall.start("send", () -> sendUntilClosed(sender, name, async, outcomes, started)));
    }
    Sender last = closing.sender(queue);
    requireInTime(started);
    Map<List<Message>, CompletableFuture<Void>> open = sendWithoutWaiting(last);
    close(closing);
    while (!open.isEmpty()) {
      awaitOldest(open, outcomes);
    }
    for (BoundedCall<@Nullable Void> call : sending) {
      if (!call.endsWithinAnother(traits().callBound().plus(slack()))) {
        throw breach("the connection closed, and a sender still waits%s", call.stack());
      }
      if (call.failure() != null) {
        throw breach(
            call.failure(),
            "closing the connection under a sender gave no outcome but %s",
            call.failure());
      }
    }
    List<String> confirmed = withOutcome(Outcome.CONFIRMED, outcomes);
    Receiver receiver = mq.receiver(queue);
    List<String> seen = drain(receiver, confirmed);
    seen.addAll(besidesMarker(receiver, mq.sender(queue), "marker"));
    Set<String> lost = new LinkedHashSet<>(confirmed);
    lost.removeAll(Set.copyOf(seen));
    if (!lost.isEmpty()) {
      throw breach("%s were CONFIRMED while the connection closed, and lost", some(lost));
    }
    Set<String> rejected = new LinkedHashSet<>(withOutcome(Outcome.REJECTED, outcomes));
    rejected.retainAll(Set.copyOf(seen));
    if (!rejected.isEmpty()) {
      throw breach("%s were REJECTED while the connection closed, and delivered", some(rejected));
    }
  }

  private static List<String> withOutcome(Outcome outcome, Map<String, Outcome> outcomes) {
    return outcomes.entrySet().stream()
        .filter(entry -> entry.getValue() == outcome)
        .map(Map.Entry::getKey)
        .toList();
  }

  private @Nullable Void sendUntilClosed(
      Sender sender,
      String name,
      boolean async,
      Map<String, Outcome> outcomes,
      CountDownLatch started)
      throws Exception {
    Map<List<Message>, CompletableFuture<Void>> open = new LinkedHashMap<>();
    long start = System.nanoTime();
    try {
      for (int i = 0; i < 5_000 && !hasPassed(patience(), start); i++) { // a queue may be bounded
        List<Message> batch = messages(name + i + "-", 1 + i % 3);
        try {
          if (async) {
            open.put(batch, sender.sendAsync(batch));
            if (open.size() > 100) {
              awaitOldest(open, outcomes);
            }
          } else {
            sender.send(batch);
            batch.forEach(message -> outcomes.put(id(message), Outcome.CONFIRMED));
          }
        } catch (SendFailedException e) {
          record(batch, e, outcomes);
        }
        if (i == 2) {
          started.countDown();
        }
      }
    } catch (IllegalStateException e) {
      // closed, as it should be: this batch was not sent
    }
    while (!open.isEmpty()) {
      awaitOldest(open, outcomes);
    }
    return null;
  }

  private void awaitOldest(
      Map<List<Message>, CompletableFuture<Void>> open, Map<String, Outcome> outcomes)
      throws Exception {
    Map.Entry<List<Message>, CompletableFuture<Void>> oldest = open.entrySet().iterator().next();
    open.remove(oldest.getKey());
    SendFailedException failure = failureOf(oldest.getValue());
    if (failure == null) {
      oldest.getKey().forEach(message -> outcomes.put(id(message), Outcome.CONFIRMED));
    } else {
      record(oldest.getKey(), failure, outcomes);
    }
  }

  private void record(
      List<Message> batch, SendFailedException failure, Map<String, Outcome> outcomes) {
    if (failure.outcomes().size() != batch.size()) {
      throw breach(failure, "%d outcomes for %d messages", failure.outcomes().size(), batch.size());
    }
    for (int i = 0; i < batch.size(); i++) {
      outcomes.put(id(batch.get(i)), failure.outcomes().get(i));
    }
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 a future that its caller cancels or completes changes nothing")
  void alo03_aFutureIsTheCallersOwn() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      List<Message> batch = messages("batch" + i + "-", draw(1, 4));
      endByItsCaller(i, sender.sendAsync(batch));
      sent.addAll(idsOf(batch));
    }
    List<Message> last = messages("last", 2);
    SendFailedException failure = failureOf(sender.sendAsync(last));
    if (failure != null) {
      throw breach(failure, "a send failed after the futures of others were cancelled");
    }
    sent.addAll(idsOf(last));
    Set<String> missing = new LinkedHashSet<>(sent);
    missing.removeAll(Set.copyOf(drain(mq.receiver(queue), sent)));
    sender.close();
    if (!missing.isEmpty()) {
      throw breach(
          "%s were not delivered, after the caller cancelled or completed the futures of sendAsync",
          some(missing));
    }
  }

  /** Ends a future that the system gave out, in one of the ways that callers have. */
  static void endByItsCaller(int way, CompletableFuture<Void> future) {
    boolean unused =
        switch (way % 4) {
          case 0 -> future.cancel(true);
          case 1 -> future.complete(null);
          case 2 -> future.completeExceptionally(new IllegalStateException("the caller's"));
          default -> future.orTimeout(1, TimeUnit.NANOSECONDS).isDone();
        };
  }

  @Checks(AloRule.ALO_03)
  @Order(Checks.LONG)
  @DisplayName("ALO-03 nothing is confirmed for ever into a queue that was deleted")
  void alo03_aDeletedQueueConfirmsNothing() throws Exception {
    requireNothingConfirmedOnceDeleted(
        (sender, batch) -> {
          sender.send(batch);
          return null;
        });
  }

  @Checks(AloRule.ALO_03)
  @Order(Checks.LONG)
  @DisplayName("ALO-03 sendAsync confirms nothing for ever into a queue that was deleted")
  void alo03_aDeletedQueueConfirmsNothingLater() throws Exception {
    requireNothingConfirmedOnceDeleted(
        (sender, batch) -> {
          SendFailedException failure = failureOf(sender.sendAsync(batch));
          if (failure != null) {
            throw failure;
          }
          return null;
        });
  }

  private void requireNothingConfirmedOnceDeleted(Sending sending) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("before", 1));
    mq.deleteQueue(queue);
    // A deletion may take a moment to reach every node, so only sends that go on for ever fail.
    long start = System.nanoTime();
    List<String> confirmed = new ArrayList<>();
    while (!hasPassed(shorter(patience(), Duration.ofSeconds(5)), start)) {
      List<Message> batch = messages("after" + confirmed.size() + "-", 1);
      BoundedCall<@Nullable SendFailedException> call =
          BoundedCall.start("send to a deleted queue", () -> sending.failureOf(sender, batch));
      requireBounded(call, "send to a deleted queue");
      Throwable failure = call.failure();
      if (failure instanceof SendFailedException told) {
        requireNoneConfirmed(told);
        return;
      }
      if (failure != null) {
        throw breach(failure, "send threw no SendFailedException but %s", failure);
      }
      confirmed.addAll(idsOf(batch));
    }
    throw breach(
        "%d messages were confirmed by a queue that is gone: %s",
        confirmed.size(), some(confirmed));
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 a broker that refuses connections confirms nothing")
  void alo03_aDeadBrokerConfirmsNothing() throws Exception {
    requireNothingConfirmed(BoundedCall.start("connect to dead", this::connectToDead));
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 a broker that never answers confirms nothing")
  void alo03_aHungBrokerConfirmsNothing() throws Exception {
    requireNothingConfirmed(BoundedCall.start("connect to hung", this::connectToHung));
  }

  private void requireNothingConfirmed(BoundedCall<Mq> connect) throws Exception {
    requireBounded(connect, "connect");
    if (connect.failure() != null) {
      inconclusive("connect failed, so that nothing could be sent: %s", connect.failure());
    }
    Mq mq = track(connect.value());
    BoundedCall<Sender> open = BoundedCall.start("open a sender", () -> mq.sender("nowhere"));
    requireBounded(open, "sender");
    if (open.failure() != null) {
      inconclusive("no sender could be opened, so that nothing could be sent: %s", open.failure());
    }
    Sender sender = open.value();
    BoundedCall<@Nullable Void> send =
        BoundedCall.start(
            "send",
            () -> {
              sender.send(messages("nowhere", 2));
              return null;
            });
    requireBounded(send, "send");
    Throwable failure = send.failure();
    if (failure == null) {
      throw breach("send returned for [nowhere0, nowhere1]");
    }
    if (!(failure instanceof SendFailedException told)) {
      throw breach(failure, "send threw no SendFailedException but %s", failure);
    }
    requireNoneConfirmed(told);
    BoundedCall<@Nullable SendFailedException> async =
        BoundedCall.start(
            "sendAsync", () -> failureOf(sender.sendAsync(messages("nowhere-async", 2))));
    requireBounded(async, "sendAsync");
    if (async.failure() != null) {
      throw breach(
          async.failure(), "sendAsync gave no SendFailedException but %s", async.failure());
    }
    SendFailedException asyncFailure = async.value();
    if (asyncFailure == null) {
      throw breach("sendAsync confirmed [nowhere-async0, nowhere-async1]");
    }
    requireNoneConfirmed(asyncFailure);
  }

  /** A call that hangs breaks ALO-18, and tells nothing about ALO-03. */
  private void requireBounded(BoundedCall<?> call, String what) throws InterruptedException {
    // Several steps may each take their bound here; ALO-18 is the one to be strict about that.
    if (!call.endsWithin(traits().callBound().multipliedBy(2).plus(slack()))) {
      call.interrupt();
      inconclusive("%s hangs, which breaks ALO-18", what);
    }
  }

  private void requireNoneConfirmed(SendFailedException failure) {
    if (failure.outcomes().contains(Outcome.CONFIRMED)) {
      throw breach(failure, "outcomes %s where nothing can be stored", failure.outcomes());
    }
  }

  /** What the future failed with, or null if it was confirmed. */
  private @Nullable SendFailedException failureOf(CompletableFuture<Void> sent)
      throws InterruptedException {
    Duration bound = traits().callBound().plus(slack());
    try {
      sent.get(bound.toMillis(), TimeUnit.MILLISECONDS);
      return null;
    } catch (TimeoutException e) {
      throw breach(e, "the future of sendAsync did not complete in %s", bound);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SendFailedException failure) {
        return failure;
      }
      throw breach(
          e.getCause(), "sendAsync failed with no SendFailedException but %s", e.getCause());
    }
  }

  // --- ALO-04 ---

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 bodies of 0 bytes, of every value, and with zeros at the end arrive as sent")
  void alo04_bodiesArriveByteForByte() throws Exception {
    byte[] everyValue = new byte[256];
    IntStream.range(0, 256).forEach(i -> everyValue[i] = (byte) i);
    Map<String, byte[]> bodies = new LinkedHashMap<>();
    bodies.put("0 bytes", new byte[0]);
    bodies.put("1 byte of 0", new byte[1]);
    bodies.put("1 byte of 255", new byte[] {-1});
    bodies.put("zeros at the end", Arrays.copyOf("zeros follow".getBytes(UTF_8), 20));
    bodies.put("line ends", "a\r\nb\nc\r".getBytes(UTF_8));
    int part = Math.min(256, traits().largestBodyBytes());
    for (int from = 0; from < 256; from += part) {
      int to = Math.min(256, from + part);
      bodies.put(
          "all values " + from + " to " + (to - 1), Arrays.copyOfRange(everyValue, from, to));
    }
    bodies.values().removeIf(body -> body.length > traits().largestBodyBytes());
    requireArrival(bodies);
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 bodies that look like JSON, XML, text or a compressed file arrive as sent")
  void alo04_bodiesThatLookLikeOtherFormatsArrive() throws Exception {
    Map<String, byte[]> bodies = new LinkedHashMap<>();
    List<String> texts =
        List.of(
            "{ \"b\" : [ 1.0, 1e2, null ],\n  \"a\" : \"\\u0041\" }",
            "{ }\n",
            "[ ]",
            "\"quoted\"",
            "null",
            "true",
            "007",
            "<?xml version=\"1.0\"?>\n<a  b='&#65;'><c></c></a>",
            "YXMgc2VudA==",
            "6173",
            "%41+b=%20&c",
            "=41=\r\n",
            "Content-Type: text/plain\r\n\r\nbody",
            "--- \na:  b\n",
            "  spaces at both ends  ",
            "\ufeffmark of the order of bytes",
            "e\u0301");
    texts.forEach(text -> bodies.put("the text '" + text + "'", text.getBytes(UTF_8)));
    bodies.put("a mark of UTF-16", "\ufeffa".getBytes(UTF_16BE));
    bodies.put("a zero of two bytes", new byte[] {(byte) 0xc0, (byte) 0x80});
    bodies.put("a gzip file", written(GZIPOutputStream::new));
    bodies.put("a zlib stream", written(DeflaterOutputStream::new));
    bodies.put("an object of Java", written(ObjectOutputStream::new));
    bodies.values().removeIf(body -> body.length > traits().largestBodyBytes());
    requireArrival(bodies);
  }

  private interface Format {
    OutputStream on(OutputStream out) throws IOException;
  }

  private static byte[] written(Format format) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = format.on(bytes)) {
      out.write("as sent, as sent, as sent".getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 bodies of drawn sizes and bytes between the smallest and the largest arrive")
  void alo04_bodiesOfAnySizeArrive() throws Exception {
    Map<String, byte[]> bodies = new LinkedHashMap<>();
    double most = Math.log(Math.min(traits().largestBodyBytes(), 4 << 20));
    long left = 24 << 20;
    Set<ByteBuffer> different = new HashSet<>(); // equal bodies are for ALO-01
    for (int i = 0; i < 60 && left > 0; i++) {
      // One in every band of sizes, so that no run leaves a band out.
      int size = (int) Math.exp(most * (i % 30 + random.nextDouble()) / 30);
      byte[] body = new byte[size];
      random.nextBytes(body);
      for (int zeros = draw(0, 4); zeros > 0 && size > 0; zeros--) {
        body[random.nextInt(size)] = 0;
      }
      if (different.add(ByteBuffer.wrap(body))) {
        bodies.put("number " + i + ", " + size + " drawn bytes", body);
        left -= size;
      }
    }
    requireArrival(bodies);
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 a body of the declared largest size arrives as sent")
  void alo04_theLargestBodyArrives() throws Exception {
    byte[] largest = new byte[tooLarge().body().length - 1];
    random.nextBytes(largest);
    requireArrival(Map.of("the largest, " + largest.length + " bytes", largest));
  }

  /** Sends them in batches of several sizes, as far as 1 MiB, and finds each again by its bytes. */
  private void requireArrival(Map<String, byte[]> bodies) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> batch = new ArrayList<>();
    long bytes = 0;
    for (byte[] body : bodies.values()) {
      batch.add(new Message(body.clone()));
      bytes += body.length;
      if (bytes > 1 << 20 || batch.size() == 7) {
        sender.send(batch);
        batch = new ArrayList<>();
        bytes = 0;
      }
    }
    sender.send(batch);
    Receiver receiver = mq.receiver(queue);
    Map<String, byte[]> missing = new LinkedHashMap<>(bodies);
    Map<ByteBuffer, String> names = new HashMap<>();
    bodies.forEach((name, body) -> names.put(ByteBuffer.wrap(body), name)); // all are different
    List<byte[]> strangers = new ArrayList<>();
    Waiting waiting = new Waiting(patience());
    // Over too when as many as are missing came in another shape.
    while (strangers.size() < missing.size() && !waiting.isOver()) {
      List<Delivery> got = receive(receiver, 50, oneWait());
      int before = missing.size();
      for (Delivery delivery : got) {
        String name = names.get(ByteBuffer.wrap(delivery.message().body()));
        if (name == null) {
          strangers.add(delivery.message().body().clone());
        } else {
          missing.remove(name);
        }
      }
      waiting.progress(missing.size() < before);
      ackIfPossible(receiver, got);
    }
    if (!missing.isEmpty()) {
      Map.Entry<String, byte[]> first = missing.entrySet().iterator().next();
      throw breach(
          "%d of %d bodies did not arrive as sent, the first is that of %s; %s",
          missing.size(), bodies.size(), first.getKey(), told(strangers, missing.values()));
    }
  }

  /** The body that nobody sent which begins most like a missing one. */
  private static String told(List<byte[]> strangers, Collection<byte[]> missing) {
    String told = "nothing came instead";
    int best = -1;
    for (byte[] stranger : strangers) {
      for (byte[] sent : missing) {
        int difference = Arrays.mismatch(stranger, sent);
        if (difference > best) {
          best = difference;
          told =
              "one of %d bytes arrived with %d bytes, and differs from byte %d on"
                  .formatted(sent.length, stranger.length, difference);
        }
      }
    }
    return told;
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 the sender may reuse a body when send has returned")
  void alo04_aBodyIsTheSendersAgainAfterSend() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    byte[] body = "as sent".getBytes(UTF_8);
    mq.sender(queue).send(List.of(new Message(body)));
    Arrays.fill(body, (byte) 'x');
    List<String> got = List.copyOf(collect(mq.receiver(queue), 1).keySet());
    if (!got.equals(List.of("as sent"))) {
      throw breach("'as sent' was overwritten after send had returned, and %s arrived", got);
    }
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 what a receiver writes into a body is not in its redelivery")
  void alo04_aBodyComesAgainAsItWasSent() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    String large = "as sent, and large ".repeat(Math.min(8_000, traits().largestBodyBytes() / 40));
    List<String> sent = List.of("as sent", large).subList(0, few(2));
    mq.sender(queue).send(sent.stream().map(KitFixture::message).toList());
    for (Mq next : List.of(mq, mq, open())) {
      try (Receiver receiver = next.receiver(queue)) {
        List<Delivery> got = hold(receiver, sent.size());
        if (got.isEmpty()) {
          inconclusive("a close did not give the message back, which breaks ALO-06");
        }
        for (Delivery one : got) {
          if (!sent.contains(id(one))) {
            int bytes = one.message().body().length;
            throw breach(
                "'as sent', or as much as %d bytes of it, came again as %s",
                large.length(), bytes > 99 ? bytes + " bytes" : "'" + id(one) + "'");
          }
          Arrays.fill(one.message().body(), (byte) 'x');
        }
      }
    }
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 what was received stays as it was, whatever is received or written later")
  void alo04_whatWasReceivedStaysAsItWas() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Message same = message("m-the-same");
    sender.send(List.of(same, same, same));
    sender.send(messages("m-", 20));
    Receiver receiver = mq.receiver(queue);
    Map<Delivery, String> bodies = new LinkedHashMap<>();
    List<Delivery> before = List.of();
    List<Delivery> copyOfBefore = List.of();
    for (int i = 0; i < 8; i++) {
      List<Delivery> got = receive(receiver, draw(1, 4), oneWait());
      got.forEach(delivery -> bodies.put(delivery, id(delivery)));
      if (!before.equals(copyOfBefore)) {
        throw breach(
            "a list that receive had returned with %d deliveries has %d others after the next one",
            copyOfBefore.size(), before.size());
      }
      before = got;
      copyOfBefore = List.copyOf(got);
      bodies.forEach(
          (delivery, body) -> {
            if (!id(delivery).equals(body)) {
              throw breach("a body that was received as '%s' is '%s' now", body, id(delivery));
            }
          });
      if (!bodies.isEmpty() && traits().release() != Release.SAME_RECEIVER) {
        Delivery oldest = bodies.keySet().iterator().next();
        bodies.remove(oldest);
        Arrays.fill(oldest.message().body(), (byte) 'x'); // the receiver's own
      }
    }
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 a body one byte too large is REJECTED")
  void alo04_aBodyTooLargeIsRejected() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Message tooLarge = tooLarge();
    try {
      sender.send(List.of(tooLarge));
    } catch (SendFailedException e) {
      if (!e.outcomes().equals(List.of(Outcome.REJECTED))) {
        throw breach(e, "a body of %d bytes was %s", tooLarge.body().length, e.outcomes());
      }
      return;
    }
    throw breach("a body of %d bytes was confirmed", tooLarge.body().length);
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 bodies too large harm no other of their batch, wherever they are")
  void alo04_aBodyTooLargeHarmsNoOther() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> neighbours = new ArrayList<>();
    for (int size : new int[] {5, draw(6, 60), draw(200, 400)}) {
      List<Message> batch = withSomeTooLarge("m" + size + "-", size);
      batch.stream()
          .filter(message -> !isTooLarge(message))
          .forEach(message -> neighbours.add(id(message)));
      try {
        sender.send(batch);
      } catch (SendFailedException e) {
        // ALO-03 looks at what it says of the others
        for (int place : placesOfTooLarge(batch)) {
          if (e.outcomes().size() == size && e.outcomes().get(place) == Outcome.UNKNOWN) {
            throw breach(e, "message %d of %d is too large and was called UNKNOWN", place, size);
          }
        }
      } catch (MqException e) {
        // likewise
      }
    }
    sender.send(List.of(message("marker")));
    List<String> expected = new ArrayList<>(neighbours);
    expected.add("marker");
    Set<String> seen = new LinkedHashSet<>(drain(mq.receiver(queue), expected));
    Set<String> missing = new LinkedHashSet<>(neighbours);
    missing.removeAll(seen);
    if (!missing.isEmpty()) {
      throw breach("%s shared a batch with a body too large and were not delivered", some(missing));
    }
    seen.removeAll(Set.copyOf(expected));
    if (!seen.isEmpty()) {
      throw breach("of bodies too large something was delivered: %d bodies", seen.size());
    }
  }
}
