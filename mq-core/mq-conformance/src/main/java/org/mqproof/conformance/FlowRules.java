package org.mqproof.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;

/** Clients come, go and compete: ALO-15, ALO-17. One thread at a time. */
abstract class FlowRules extends CallRules {

  private static final int COMPETITORS = 3;
  private static final int BATCHES_PER_SENDER = 300;

  // --- ALO-15 ---

  @Checks(AloRule.ALO_15)
  @DisplayName("ALO-15 messages are there after every client has closed")
  void alo15_messagesOutliveEveryClient() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Message> sent = messages("m", few(20));
    mq.sender(queue).send(sent);
    close(mq);
    requireThere(idsOf(sent), open().receiver(queue));
  }

  @Checks(AloRule.ALO_15)
  @DisplayName(
      "ALO-15 messages sent while there was no receiver, and after one had closed, are kept")
  void alo15_messagesOutliveTheLastReceiver() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Receiver first = mq.receiver(queue);
    warmUp(first);
    first.close();
    List<Message> sent = messages("m", few(20));
    mq.sender(queue).send(sent);
    close(mq);
    requireThere(idsOf(sent), open().receiver(queue));
  }

  private void requireThere(List<String> sent, Receiver receiver) throws InterruptedException {
    Set<String> missing = missingFrom(receiver, sent);
    if (!missing.isEmpty()) {
      throw breach("every client closed, and a new one did not get %s", some(missing));
    }
  }

  // --- ALO-17 ---

  @Checks(AloRule.ALO_17)
  @DisplayName("ALO-17 competing senders and receivers lose, invent and duplicate nothing")
  void alo17_competitorsLoseInventAndDuplicateNothing() throws Exception {
    Mq shared = open();
    String queue = newQueue(shared);
    Ledger ledger = new Ledger();
    List<Receiver> receivers = new ArrayList<>();
    List<Sender> senders = new ArrayList<>();
    for (int i = 0; i < COMPETITORS; i++) {
      // The last of each has a connection of its own, the others share one.
      Mq mq = i == COMPETITORS - 1 ? open() : shared;
      receivers.add(mq.receiver(queue));
      senders.add(mq.sender(queue));
    }
    warmUp(receivers.toArray(Receiver[]::new));
    AtomicLong delivered = new AtomicLong();
    AtomicLong confirmed = new AtomicLong();
    List<BoundedCall<@Nullable Void>> sending = new ArrayList<>();
    List<BoundedCall<@Nullable Void>> receiving = new ArrayList<>();
    for (int i = 0; i < COMPETITORS; i++) {
      SenderLog log = ledger.sender(i);
      Sender sender = senders.get(i);
      sending.add(BoundedCall.start("sender " + i, () -> sendBatches(sender, log, confirmed)));
    }
    for (Receiver receiver : receivers) {
      ReceiverLog log = ledger.newReceiver();
      receiving.add(
          BoundedCall.start(
              "receiver", () -> receiveUntilQuiet(receiver, log, delivered, sending)));
    }
    for (BoundedCall<@Nullable Void> call : receiving) {
      if (!call.endsWithin(testLimit())) {
        throw breach("a receiver still waits%s", call.stack());
      }
      if (call.failure() != null) {
        throw breach(call.failure(), "a receiver failed: %s", call.failure());
      }
    }
    for (BoundedCall<@Nullable Void> call : sending) {
      if (call.failure() != null) {
        throw breach(call.failure(), "a sender failed: %s", call.failure());
      }
    }
    Verdict verdict = ledger.verdict(true);
    if (verdict.lost() + verdict.unexpected() + verdict.corrupt() + verdict.duplicated() > 0) {
      throw breach("%s; %s", some(verdict.examples()), verdict);
    }
  }

  private static @Nullable Void sendBatches(Sender sender, SenderLog log, AtomicLong confirmed)
      throws InterruptedException {
    for (int i = 0; i < BATCHES_PER_SENDER; i++) {
      int size = 1 + i % 9;
      List<Message> batch =
          IntStream.range(0, size).mapToObj(j -> new Message(new byte[100])).toList();
      long first = log.stamp(batch, System.nanoTime());
      sender.send(batch);
      log.confirmed(first, size);
      confirmed.addAndGet(size);
    }
    return null;
  }

  /** Receives and acks until every sender has ended and nothing has come for a while. */
  private @Nullable Void receiveUntilQuiet(
      Receiver receiver,
      ReceiverLog log,
      AtomicLong delivered,
      List<BoundedCall<@Nullable Void>> sending)
      throws Exception {
    long total =
        (long) COMPETITORS * IntStream.range(0, BATCHES_PER_SENDER).map(i -> 1 + i % 9).sum();
    long progress = System.nanoTime();
    while (true) {
      List<Delivery> batch = receive(receiver, 50, oneWait());
      if (batch.isEmpty()) {
        boolean sent = sending.stream().allMatch(BoundedCall::hasEnded);
        boolean complete = sent && delivered.get() >= total;
        if (sent && hasPassed(complete ? window() : patience(), progress)) {
          return null;
        }
        continue;
      }
      log.delivered(batch, sentAtNanos -> {});
      delivered.addAndGet(batch.size());
      receiver.ack(batch).get(patience().toMillis(), TimeUnit.MILLISECONDS);
      log.acked(batch);
      progress = System.nanoTime();
    }
  }
}
