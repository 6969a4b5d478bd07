package org.mqproof.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/**
 * The kit: every rule of {@link AloRule} that can be checked without killing processes, and the
 * rest of the contract. An adapter's tests extend it:
 *
 * <pre>{@code
 * class KafkaConformanceTest extends MqConformance {
 *   @Override protected Mq connect() { return connectTo(cluster.endpoint()); }
 *   @Override protected Mq connectToDead() { return connectTo(deadEndpoint()); }
 *   @Override protected Mq connectToHung() { return connectTo(hungEndpoint()); }
 * }
 * }</pre>
 *
 * <p>Each test uses a queue of its own. What differs between systems is read from {@link
 * Mq#traits()} and asserted exactly. Where a rule cannot be judged, because no trait declares it,
 * because {@link #notCheckable()} says so, or because another rule that the check rests on does not
 * hold, its test is skipped with the reason.
 *
 * <p>For one thread at a time.
 */
public abstract class MqConformance extends FlowRules {

  /** For subclasses. */
  protected MqConformance() {}

  // --- ALO-18 ---

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 an endpoint that refuses connections is an error, soon")
  void alo18_aDeadBrokerIsAnError() throws Exception {
    requireErrors(deadEndpoint(), this::connectToDead);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 an endpoint that never answers is an error, within the bound")
  void alo18_aHungBrokerIsAnError() throws Exception {
    requireErrors(hungEndpoint(), this::connectToHung);
  }

  private void requireErrors(String endpoint, Callable<Mq> connector) throws Exception {
    BoundedCall<Mq> connect = BoundedCall.start("connect", connector);
    requireEnd(connect, "connect");
    if (connect.failure() != null) {
      requireNames(endpoint, "connect", connect.failure());
      return;
    }
    Mq mq = connect.value();
    // Side by side, so that the bound is waited for once and not once per call.
    BoundedCall<@Nullable Object> create =
        BoundedCall.start(
            "createQueue",
            () -> {
              mq.createQueue("nowhere");
              return null;
            });
    BoundedCall<@Nullable Object> delete =
        BoundedCall.start(
            "deleteQueue",
            () -> {
              mq.deleteQueue("nowhere");
              return null;
            });
    BoundedCall<Sender> sender = BoundedCall.start("sender", () -> mq.sender("nowhere"));
    BoundedCall<Receiver> receiver = BoundedCall.start("receiver", () -> mq.receiver("nowhere"));
    requireError(endpoint, create, "createQueue");
    requireError(endpoint, delete, "deleteQueue");
    BoundedCall<@Nullable Object> send = null;
    BoundedCall<@Nullable Object> receive = null;
    if (opened(endpoint, sender, "sender")) {
      send =
          BoundedCall.start(
              "send",
              () -> {
                sender.value().send(messages("m", 2));
                return null;
              });
    }
    if (opened(endpoint, receiver, "receiver")) {
      // A receiver may need its bound to find out; until then its lists are empty.
      receive = BoundedCall.start("receive", () -> receiveUntilError(receiver.value()));
    }
    if (send != null) {
      requireError(endpoint, send, "send");
    }
    if (receive != null) {
      requireError(endpoint, receive, "receive");
    }
    BoundedCall<@Nullable Object> close =
        BoundedCall.start(
            "close",
            () -> {
              mq.close();
              return null;
            });
    requireEnd(close, "close");
  }

  private @Nullable Object receiveUntilError(Receiver receiver) throws InterruptedException {
    long start = System.nanoTime();
    while (!hasPassed(traits().callBound(), start)) {
      List<?> none = receive(receiver, 1, Duration.ofMillis(10));
      if (!none.isEmpty()) {
        throw breach("a broker that is not there delivered %s", none);
      }
    }
    return null;
  }

  private <T extends @Nullable Object> boolean opened(
      String endpoint, BoundedCall<T> call, String what) throws InterruptedException {
    requireEnd(call, what);
    if (call.failure() == null) {
      return true;
    }
    requireNames(endpoint, what, call.failure());
    return false;
  }

  private void requireError(String endpoint, BoundedCall<?> call, String what)
      throws InterruptedException {
    requireEnd(call, what);
    if (call.failure() == null) {
      throw breach("%s at %s returned as if all were well", what, endpoint);
    }
    requireNames(endpoint, what, call.failure());
  }

  private void requireEnd(BoundedCall<?> call, String what) throws InterruptedException {
    Duration bound = traits().callBound();
    if (!call.endsWithin(bound.plus(slack()))) {
      String stack = call.stack();
      call.interrupt();
      throw breach("%s hangs beyond the declared bound of %s, at%s", what, bound, stack);
    }
  }

  private void requireNames(String endpoint, String what, @Nullable Throwable failure) {
    if (!(failure instanceof MqException)) {
      throw breach(failure, "%s threw no MqException but %s", what, failure);
    }
    if (!String.valueOf(failure.getMessage()).contains(endpoint)) {
      throw breach(failure, "the error of %s does not name %s: %s", what, endpoint, failure);
    }
  }

  // --- The rest of the contract: no rule of at-least-once delivery, but promised all the same ---

  @Test
  @DisplayName("contract: createQueue on an existing queue keeps its messages")
  void contract_createQueueKeepsMessages() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    mq.createQueue(queue);
    assertThat(collect(mq.receiver(queue), 1)).containsOnlyKeys("m0");
  }

  @Test
  @DisplayName("contract: deleteQueue removes the messages, and can be called again")
  void contract_deleteQueueRemovesMessages() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("deleted", 3));
    mq.deleteQueue(queue);
    mq.deleteQueue(queue);
    mq.createQueue(queue);
    assertThat(besidesMarker(mq.receiver(queue), open().sender(queue), "marker"))
        .as("messages that outlived their queue")
        .isEmpty();
  }

  @Test
  @DisplayName("contract: a queue that does not exist can be neither sent to nor received from")
  void contract_aMissingQueueIsAnError() {
    Mq mq = open();
    assertThatExceptionOfType(MqException.class)
        .as("a sender, or its first send")
        .isThrownBy(() -> mq.sender("no-such-queue").send(messages("m", 1)));
    assertThatExceptionOfType(MqException.class)
        .as("a receiver, or its first receive")
        .isThrownBy(() -> mq.receiver("no-such-queue").receive(1, Duration.ofMillis(100)));
  }

  @Test
  @DisplayName("contract: invalid queue names are refused")
  void contract_invalidQueueNamesAreRefused() {
    Mq mq = open();
    for (String invalid : List.of("", ".", "..", "a b", "a/b", "ü", "x".repeat(201))) {
      assertThatIllegalArgumentException()
          .as("'%s'", invalid)
          .isThrownBy(() -> mq.createQueue(invalid));
    }
  }

  @Test
  @DisplayName("contract: the longest and strangest valid queue name works")
  void contract_validQueueNamesWork() throws Exception {
    Mq mq = open();
    String queue = "A.z_9-" + "x".repeat(194);
    mq.createQueue(queue);
    try {
      mq.sender(queue).send(messages("m", 1));
      assertThat(collect(mq.receiver(queue), 1)).containsOnlyKeys("m0");
    } finally {
      mq.deleteQueue(queue);
    }
  }

  @Test
  @DisplayName("contract: receive refuses a max below 1 and a negative timeout")
  void contract_receiveChecksItsArguments() {
    Mq mq = open();
    Receiver receiver = mq.receiver(newQueue(mq));
    assertThatIllegalArgumentException().isThrownBy(() -> receiver.receive(0, Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> receiver.receive(-1, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> receiver.receive(1, Duration.ofMillis(-1)));
  }

  @Test
  @DisplayName("contract: empty batches are sent and acked at once")
  void contract_emptyBatchesAreFine() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(List.of());
    sender.sendAsync(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    mq.receiver(queue).ack(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  @DisplayName("contract: one sender's messages arrive in order, where that is declared")
  void contract_orderIsKeptWhereDeclared() throws Exception {
    if (traits().ordering() == Ordering.NONE) {
      inconclusive("no order is declared");
    }
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      List<Message> batch = messages(i + "-", 1 + i % 5);
      sender.send(batch);
      sent.addAll(idsOf(batch));
    }
    assertThat(drain(mq.receiver(queue), sent)).containsExactlyElementsOf(sent);
  }

  @Test
  @DisplayName("contract: traits and a delivery's message are the same at every call")
  void contract_valuesAreStable() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    assertThat(mq.traits()).hasToString(mq.traits().toString());
    mq.sender(queue).send(messages("m", 1));
    var delivery = collect(mq.receiver(queue), 1).values().iterator().next();
    assertThat(delivery.message()).isSameAs(delivery.message());
  }
}
