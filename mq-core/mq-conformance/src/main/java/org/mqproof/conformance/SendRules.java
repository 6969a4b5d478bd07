package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** What was sent arrives, or the sender is told: ALO-01, ALO-03, ALO-04. One thread at a time. */
abstract class SendRules extends KitFixture {

  // --- ALO-01 ---

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 every message of batches of 1 to 1,000 is delivered")
  void alo01_everyMessageOfEveryBatchIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> sent = new ArrayList<>();
    try (Sender sender = mq.sender(queue)) {
      for (int size : new int[] {1, 2, 7, 100, 1_000}) {
        List<Message> batch = messages("of" + size + "-", size);
        sender.send(batch);
        sent.addAll(idsOf(batch));
      }
    }
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 what sendAsync confirmed is delivered, with 200 batches open")
  void alo01_everyMessageOfManyOpenBatchesIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> sent = new ArrayList<>();
    List<CompletableFuture<Void>> open = new ArrayList<>();
    Sender sender = mq.sender(queue);
    for (int i = 0; i < 200; i++) {
      List<Message> batch = messages("batch" + i + "-", 5);
      open.add(sender.sendAsync(batch));
      sent.addAll(idsOf(batch));
    }
    CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
        .get(patience().toMillis(), TimeUnit.MILLISECONDS);
    requireDelivered(mq.receiver(queue), sent);
  }

  @Checks(AloRule.ALO_01)
  @DisplayName("ALO-01 what was confirmed while the sender closed is delivered")
  void alo01_whatWasConfirmedWhileTheSenderClosedIsDelivered() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Map<List<Message>, CompletableFuture<Void>> open = new LinkedHashMap<>();
    Sender sender = mq.sender(queue);
    for (int i = 0; i < 50; i++) {
      List<Message> batch = messages("batch" + i + "-", 5);
      open.put(batch, sender.sendAsync(batch));
    }
    sender.close();
    List<String> confirmed = new ArrayList<>();
    for (Map.Entry<List<Message>, CompletableFuture<Void>> entry : open.entrySet()) {
      try {
        entry.getValue().get(patience().toMillis(), TimeUnit.MILLISECONDS);
        confirmed.addAll(idsOf(entry.getKey()));
      } catch (TimeoutException e) {
        throw breach(
            "the sender closed, and still nobody knows the outcome of %s",
            some(idsOf(entry.getKey())));
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof SendFailedException)) {
          throw e;
        }
        // closing may leave an outcome unknown; what matters here is what was confirmed
      }
    }
    requireDelivered(mq.receiver(queue), confirmed);
  }

  private void requireDelivered(Receiver receiver, List<String> sent) throws Exception {
    Set<String> missing = new LinkedHashSet<>(sent);
    drain(receiver, sent).forEach(missing::remove);
    if (!missing.isEmpty()) {
      throw breach(
          "%d of %d confirmed messages were not delivered within %s: %s",
          missing.size(), sent.size(), patience(), some(missing));
    }
  }

  // --- ALO-03 ---

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 send tells the outcome of each message when one of the batch is too large")
  void alo03_sendTellsEachOutcomeWhenOneIsTooLarge() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> batch = withOneTooLarge();
    try {
      sender.send(batch);
      throw breach("send returned although message 2 of %s cannot be stored", batch);
    } catch (SendFailedException e) {
      requireTruth(mq.receiver(queue), sender, batch, e);
    }
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 sendAsync tells the outcome of each message when one is too large")
  void alo03_sendAsyncTellsEachOutcomeWhenOneIsTooLarge() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> batch = withOneTooLarge();
    SendFailedException failure = failureOf(sender.sendAsync(batch));
    if (failure == null) {
      throw breach("sendAsync confirmed %s although message 2 cannot be stored", batch);
    }
    requireTruth(mq.receiver(queue), sender, batch, failure);
  }

  private List<Message> withOneTooLarge() {
    return List.of(message("m0"), message("m1"), tooLarge(), message("m3"), message("m4"));
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
    List<String> rejected = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).body().length > traits().largestBodyBytes()) {
        if (outcomes.get(i) == Outcome.CONFIRMED) {
          throw breach(failure, "message %d is too large and was called CONFIRMED", i);
        }
      } else if (outcomes.get(i) == Outcome.CONFIRMED) {
        confirmed.add(id(batch.get(i)));
      } else if (outcomes.get(i) == Outcome.REJECTED) {
        rejected.add(id(batch.get(i)));
      }
    }
    sender.send(List.of(message("marker")));
    confirmed.add("marker");
    List<String> seen = drain(receiver, confirmed);
    List<String> lost = new ArrayList<>(confirmed);
    lost.removeAll(seen);
    if (!lost.isEmpty()) {
      throw breach(failure, "%s were called CONFIRMED and not delivered; %s", lost, outcomes);
    }
    rejected.retainAll(seen);
    if (!rejected.isEmpty()) {
      throw breach(failure, "%s were called REJECTED and delivered; %s", rejected, outcomes);
    }
  }

  @Checks(AloRule.ALO_03)
  @DisplayName("ALO-03 nothing is confirmed for ever into a queue that was deleted")
  void alo03_aDeletedQueueConfirmsNothing() throws Exception {
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
      BoundedCall<@Nullable Void> call =
          BoundedCall.start(
              "send to a deleted queue",
              () -> {
                sender.send(batch);
                return null;
              });
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
      return; // nothing was sent; ALO-18 looks at the error
    }
    Mq mq = track(connect.value());
    BoundedCall<Sender> open = BoundedCall.start("open a sender", () -> mq.sender("nowhere"));
    requireBounded(open, "sender");
    if (open.failure() != null) {
      return;
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
    byte[] zerosAtTheEnd = Arrays.copyOf("zeros follow".getBytes(UTF_8), 20);
    requireArrival(
        Map.of(
            "0 bytes",
            new byte[0],
            "1 byte of 0",
            new byte[1],
            "1 byte of 255",
            new byte[] {-1},
            "all 256 values",
            everyValue,
            "zeros at the end",
            zerosAtTheEnd,
            "line ends",
            "a\r\nb\nc\r".getBytes(UTF_8)));
  }

  @Checks(AloRule.ALO_04)
  @DisplayName("ALO-04 a body of the declared largest size arrives as sent")
  void alo04_theLargestBodyArrives() throws Exception {
    byte[] largest = new byte[tooLarge().body().length - 1];
    for (int i = 0; i < largest.length; i++) {
      largest[i] = (byte) (i * 31 + (i >>> 8));
    }
    requireArrival(Map.of("the largest, " + largest.length + " bytes", largest));
  }

  private void requireArrival(Map<String, byte[]> bodies) throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    Receiver receiver = mq.receiver(queue);
    for (Map.Entry<String, byte[]> body : bodies.entrySet()) {
      sender.send(List.of(new Message(body.getValue().clone())));
      List<Delivery> got = next(receiver);
      if (got.isEmpty()) {
        throw breach("the body of %s never arrived", body.getKey());
      }
      byte[] arrived = got.get(0).message().body();
      int difference = Arrays.mismatch(arrived, body.getValue());
      if (difference >= 0) {
        throw breach(
            "the body of %s arrived with %d bytes, and differs from byte %d on",
            body.getKey(), arrived.length, difference);
      }
      ackAndWait(receiver, got);
    }
  }

  private List<Delivery> next(Receiver receiver) throws InterruptedException {
    long start = System.nanoTime();
    while (!hasPassed(patience(), start)) {
      List<Delivery> got = receive(receiver, 1, oneWait());
      if (!got.isEmpty()) {
        return got;
      }
    }
    return List.of();
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
  @DisplayName("ALO-04 a body too large harms no other of its batch")
  void alo04_aBodyTooLargeHarmsNoOther() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<Message> batch = withOneTooLarge();
    try {
      sender.send(batch);
    } catch (MqException e) {
      // ALO-03 looks at what it says; here the neighbours count
    }
    List<String> neighbours = List.of("m0", "m1", "m3", "m4");
    sender.send(List.of(message("marker")));
    List<String> expected = new ArrayList<>(neighbours);
    expected.add("marker");
    List<String> seen = drain(mq.receiver(queue), expected);
    List<String> missing = new ArrayList<>(neighbours);
    missing.removeAll(seen);
    if (!missing.isEmpty()) {
      throw breach("%s shared a batch with a body too large and were not delivered", missing);
    }
    if (seen.size() != expected.size()) {
      throw breach("of the batch %s, all of %s were delivered", batch, some(seen));
    }
  }
}
