package org.mqproof.eventstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import io.grpc.Status;
import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.spi.MqProvider;

/** Each failure that a server can answer with, on a protocol double: no server ran. */
class EventStoreProtocolDoubleTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ProtocolDouble server = new ProtocolDouble();
  private final List<AutoCloseable> open = new ArrayList<>(List.of(server));

  @AfterEach
  void closeAll() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private Mq connect(String... more) {
    Map<String, String> settings =
        new HashMap<>(Map.of("addresses", server.endpoint(), "tls", "false", "copies", "1"));
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    Mq mq = MqProvider.named("eventstore").connect(settings);
    open.add(mq);
    return mq;
  }

  private Mq connectWithQueue(String... more) {
    Mq mq = connect(more);
    mq.createQueue("q");
    return mq;
  }

  private static List<Message> messages(int count) {
    return IntStream.range(0, count).mapToObj(i -> new Message(("m" + i).getBytes(UTF_8))).toList();
  }

  private static List<String> texts(Collection<Delivery> deliveries) {
    return deliveries.stream().map(d -> new String(d.message().body(), UTF_8)).toList();
  }

  /** Receives so many. */
  private static List<Delivery> take(Receiver receiver, int count) throws InterruptedException {
    List<Delivery> got = new ArrayList<>();
    long start = System.nanoTime();
    while (got.size() < count && System.nanoTime() - start < PATIENCE.toNanos()) {
      got.addAll(receiver.receive(count - got.size(), Duration.ofMillis(100)));
    }
    assertThat(got).hasSize(count);
    return got;
  }

  /** Lets a receiver ack the stream's first event, which is no message, and one message. */
  private static void settle(Sender sender, Receiver receiver) throws Exception {
    sender.send(messages(1));
    acked(receiver.ack(take(receiver, 1)));
  }

  private static void acked(CompletableFuture<Void> ack) throws Exception {
    ack.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static List<Outcome> outcomes(Sender sender, List<Message> batch) {
    SendFailedException failure = failure(sender, batch);
    return failure.outcomes();
  }

  private static SendFailedException failure(Sender sender, List<Message> batch) {
    try {
      sender.send(batch);
    } catch (SendFailedException e) {
      return e;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("the batch was confirmed");
  }

  // Appends.

  @Test
  void aBatchTakesOneAppend() throws Exception {
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    int before = server.appendSizes().size();
    sender.send(messages(1_000));
    sender.send(messages(1));
    List<CompletableFuture<Void>> batches = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      batches.add(sender.sendAsync(messages(7)));
    }
    for (CompletableFuture<Void> batch : batches) {
      acked(batch);
    }
    List<Integer> sizes = server.appendSizes().subList(before, server.appendSizes().size());
    assertThat(sizes).startsWith(1_000, 1).hasSize(52);
    assertThat(sizes.subList(2, 52)).containsOnly(7);
  }

  @Test
  void appendsAreUnderWayTogetherUpToTheBound() throws Exception {
    Mq mq =
        connectWithQueue("appends.in.flight", "3", "call.bound", "2s", "connect.bound", "500ms");
    Sender sender = mq.sender("q");
    int before = server.appendSizes().size();
    for (int i = 0; i < 3; i++) {
      server.nextAppend(ProtocolDouble.AppendFault.silence());
    }
    List<CompletableFuture<Void>> batches = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      batches.add(sender.sendAsync(messages(2)));
    }
    Thread fourth =
        new Thread(
            () -> {
              CompletableFuture<Void> unused = sender.sendAsync(messages(2));
            });
    fourth.start();
    long start = System.nanoTime();
    while ((fourth.getState() != Thread.State.TIMED_WAITING
            || server.appendSizes().size() - before < 3)
        && System.nanoTime() - start < PATIENCE.toNanos()) {
      Thread.onSpinWait();
    }
    assertThat(server.appendSizes().size() - before).isEqualTo(3);
    fourth.join();
    for (CompletableFuture<Void> batch : batches) {
      assertThatThrownBy(() -> batch.get(30, TimeUnit.SECONDS)).hasMessageContaining("2 unknown");
    }
  }

  @Test
  void aBatchThatIsTooLargeForOneAppendTakesSeveral() throws Exception {
    server.maxAppendBytes(10_000);
    Mq mq = connectWithQueue("max.append.bytes", "10000");
    Sender sender = mq.sender("q");
    int before = server.appendSizes().size();
    List<Message> batch =
        IntStream.range(0, 10).mapToObj(i -> new Message(new byte[3_000])).toList();
    sender.send(batch);
    assertThat(server.appendSizes().subList(before, server.appendSizes().size()))
        .containsExactlyInAnyOrder(3, 3, 3, 1); // which of them is complete first is open
  }

  @Test
  void aBodyThatIsTooLargeIsRejectedAndTheRestIsSafe() throws Exception {
    Mq mq = connectWithQueue("max.append.bytes", "10000");
    Sender sender = mq.sender("q");
    int largest = mq.traits().largestBodyBytes();
    List<Message> batch =
        List.of(
            new Message(new byte[1]),
            new Message(new byte[largest + 1]),
            new Message(new byte[largest]));
    SendFailedException failure = failure(sender, batch);
    assertThat(failure.outcomes()).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
    assertThat(failure).hasMessageContaining("is too large, the largest is 9936");
    assertThat(take(mq.receiver("q"), 2)).hasSize(2);
  }

  /** Our setting says more than the server's own. */
  @Test
  void whatTheServerFindsTooLargeIsRejected() throws Exception {
    server.maxAppendBytes(5_000);
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    SendFailedException failure = failure(sender, List.of(new Message(new byte[6_000])));
    assertThat(failure.outcomes()).containsExactly(REJECTED);
    assertThat(failure).hasMessageContaining("Maximum Append Size of 5000 Exceeded");
    sender.send(messages(1));
    assertThat(texts(take(mq.receiver("q"), 1))).containsExactly("m0");
  }

  @Test
  void anAppendWhoseAnswerWasLostIsSentAgainAndStoredOnce() throws Exception {
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    server.nextAppend(ProtocolDouble.AppendFault.answerLost());
    long before = server.events("q");
    sender.send(messages(3));
    assertThat(server.events("q") - before).isEqualTo(3);
    assertThat(server.appendSizes()).endsWith(3, 3);
  }

  @Test
  void anAppendThatTheServerGaveUpIsUnknown() throws Exception {
    Mq mq = connectWithQueue();
    server.nextAppend(ProtocolDouble.AppendFault.commitTimeout());
    assertThat(outcomes(mq.sender("q"), messages(2))).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(take(mq.receiver("q"), 2)).hasSize(2); // it was stored after all
  }

  @Test
  void anAppendWithoutAnswerIsUnknownAtTheBound() {
    Mq mq = connectWithQueue("call.bound", "2s", "connect.bound", "500ms");
    Sender sender = mq.sender("q");
    server.nextAppend(ProtocolDouble.AppendFault.silence());
    long start = System.nanoTime();
    SendFailedException failure = failure(sender, messages(1));
    assertThat(failure.outcomes()).containsExactly(UNKNOWN);
    assertThat(failure).hasMessageContaining(server.endpoint());
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void anAppendThatIsRefusedIsRejected() {
    Mq mq = connectWithQueue();
    server.nextAppend(
        ProtocolDouble.AppendFault.refused(
            Status.PERMISSION_DENIED.withDescription("Access Denied"), "access-denied"));
    SendFailedException failure = failure(mq.sender("q"), messages(2));
    assertThat(failure.outcomes()).containsExactly(REJECTED, REJECTED);
    assertThat(failure).hasMessageContaining("PERMISSION_DENIED: Access Denied");
  }

  /** A refusal says nothing of an earlier attempt. */
  @Test
  void aRefusalAfterALostAnswerIsUnknown() {
    Mq mq = connectWithQueue();
    server.nextAppend(ProtocolDouble.AppendFault.answerLost());
    server.nextAppend(
        ProtocolDouble.AppendFault.refused(
            Status.PERMISSION_DENIED.withDescription("Access Denied"), "access-denied"));
    assertThat(outcomes(mq.sender("q"), messages(1))).containsExactly(UNKNOWN);
  }

  @Test
  void aDeletedQueueRejects() {
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    mq.deleteQueue("q");
    SendFailedException failure = failure(sender, messages(1));
    assertThat(failure.outcomes()).containsExactly(REJECTED);
    assertThat(failure).hasMessageContaining("FAILED_PRECONDITION: Event stream 'q' is deleted");
  }

  // Connecting.

  @Test
  void wrongCredentialsAreOneErrorWithoutThePassword(@TempDir Path directory) throws IOException {
    server.requireUser("Basic Ym9iOnJpZ2h0"); // bob:right
    Path file = directory.resolve("credentials");
    Files.writeString(file, "username=bob\npassword=wrong\n", UTF_8);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> connect("credentials", "file:" + file))
        .withMessage(
            "EventStore at %s: cannot connect: UNAUTHENTICATED: Access denied", server.endpoint());
    Files.writeString(file, "username=bob\npassword=right\n", UTF_8);
    connectWithQueue("credentials", "file:" + file);
  }

  @Test
  void aConnectionStringIsAllThatIsNeeded() {
    server.requireUser("Basic Ym9iOnJpZ2h0"); // bob:right
    String nodes = "@" + server.endpoint() + "?tls=false";
    MqProvider provider = MqProvider.named("eventstore");
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> provider.connect(Map.of("connection.string", "esdb://bob:wrong" + nodes)))
        .withMessage(
            "EventStore at %s: cannot connect: UNAUTHENTICATED: Access denied", server.endpoint());
    Mq mq = provider.connect(Map.of("connection.string", "esdb://bob:right" + nodes));
    open.add(mq);
    mq.createQueue("q");
  }

  @Test
  void oneConnectionCarriesEverySenderAndReceiver() throws Exception {
    Mq mq = connectWithQueue();
    for (int i = 0; i < 3; i++) {
      mq.sender("q").send(messages(2));
      try (Receiver receiver = mq.receiver("q")) {
        acked(receiver.ack(take(receiver, 2)));
      }
    }
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void aMissingQueueIsOneError() {
    Mq mq = connect();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.sender("none"))
        .withMessage(
            "EventStore at %s: cannot send to queue none: there is no such queue: no group mqproof on"
                + " a stream none",
            server.endpoint());
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.receiver("none"))
        .withMessageContaining("cannot receive from queue none: there is no such queue");
  }

  @Test
  void aNodeThatDoesNotLeadIsLeftForTheOneItNames() throws Exception {
    ProtocolDouble leader = new ProtocolDouble();
    open.add(leader);
    server.follow(leader.address());
    Mq mq = connectWithQueue();
    assertThat(leader.events("q")).isEqualTo(1);
    Sender sender = mq.sender("q");
    sender.send(messages(2));
    assertThat(texts(take(mq.receiver("q"), 2))).containsExactlyInAnyOrder("m0", "m1");
    assertThat(server.events("q")).isZero();
  }

  /** Nothing was stored by a node that does not lead, so the append is simply sent again. */
  @Test
  void anAppendFollowsANewLeader() throws Exception {
    ProtocolDouble second = new ProtocolDouble();
    open.add(second);
    Mq other =
        MqProvider.named("eventstore")
            .connect(Map.of("addresses", second.endpoint(), "tls", "false", "copies", "1"));
    open.add(other);
    other.createQueue("q");
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    server.follow(second.address());
    sender.send(messages(2));
    assertThat(texts(take(other.receiver("q"), 2))).containsExactlyInAnyOrder("m0", "m1");
  }

  @Test
  void ofSeveralNodesTheLeaderIsAskedFor() {
    ProtocolDouble leader = new ProtocolDouble();
    open.add(leader);
    server.follow(leader.address());
    Mq mq = connect("addresses", server.endpoint() + "," + leader.endpoint());
    mq.createQueue("q");
    assertThat(leader.events("q")).isEqualTo(1);
    assertThat(server.events("q")).isZero();
  }

  @Test
  void workGoesOnAfterTheServerWasAway() throws Exception {
    Mq mq = connectWithQueue();
    Sender sender = mq.sender("q");
    Receiver receiver = mq.receiver("q");
    sender.send(messages(1));
    take(receiver, 1);
    server.stop();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(
            () -> {
              long start = System.nanoTime();
              while (System.nanoTime() - start < PATIENCE.toNanos()) {
                receiver.receive(1, Duration.ofMillis(50));
              }
            })
        .withMessageContaining(server.endpoint())
        .withMessageContaining("must be opened anew");
    CompletableFuture<Void> meanwhile = sender.sendAsync(messages(1));
    server.startAgain();
    acked(meanwhile);
    assertThat(take(mq.receiver("q"), 2)).hasSize(2);
  }

  // Groups.

  @Test
  void aGroupThatParksIsRefused() {
    server.createGroup(
        "q",
        Persistent.CreateReq.Settings.newBuilder()
            .setMessageTimeoutMs(60_000)
            .setMaxRetryCount(10)
            .build());
    Mq mq = connect();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.receiver("q"))
        .withMessageContaining(
            "its group mqproof cannot keep what the settings promise: maxRetryCount is 10, must be"
                + " 2147483647");
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.sender("q"))
        .withMessageContaining("maxRetryCount is 10, must be 2147483647");
  }

  @Test
  void aGroupWithAnotherTimeoutIsRefused() {
    server.createGroup(
        "q",
        Persistent.CreateReq.Settings.newBuilder()
            .setMessageTimeoutMs(5_000)
            .setMaxRetryCount(Integer.MAX_VALUE)
            .build());
    Mq mq = connect();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.receiver("q"))
        .withMessageContaining(
            "its group mqproof cannot keep what the settings promise: messageTimeout is 5000 ms,"
                + " must be 60000 ms");
  }

  @Test
  @SuppressWarnings("deprecation") // the newer field is unknown to older servers
  void theGroupIsCreatedAsTheSettingsSay() {
    connectWithQueue(
        "claim.period", "7s",
        "read.batch.size", "300",
        "history.buffer.size", "400",
        "live.buffer.size", "500",
        "checkpoint.after", "3s",
        "checkpoint.min.count", "5",
        "checkpoint.max.count", "50",
        "resolve.links", "true",
        "consumer.strategy", "dispatch-to-single");
    Persistent.CreateReq.Settings settings = server.group("q").settings();
    assertThat(settings.getMessageTimeoutMs()).isEqualTo(14_000);
    assertThat(settings.getReadBatchSize()).isEqualTo(300);
    assertThat(settings.getHistoryBufferSize()).isEqualTo(400);
    assertThat(settings.getLiveBufferSize()).isEqualTo(500);
    assertThat(settings.getCheckpointAfterMs()).isEqualTo(3_000);
    assertThat(settings.getMinCheckpointCount()).isEqualTo(5);
    assertThat(settings.getMaxCheckpointCount()).isEqualTo(50);
    assertThat(settings.getResolveLinks()).isTrue();
    assertThat(settings.getMaxRetryCount()).isEqualTo(Integer.MAX_VALUE);
    assertThat(settings.getMaxSubscriberCount()).isZero();
    assertThat(settings.getNamedConsumerStrategy())
        .isEqualTo(Persistent.CreateReq.ConsumerStrategy.DispatchToSingle);
  }

  // Claims and acks.

  @Test
  void nothingIsParkedHoweverOftenItIsGivenBack() throws Exception {
    Mq mq = connectWithQueue();
    mq.sender("q").send(messages(3));
    for (int i = 0; i < 25; i++) {
      Receiver receiver = mq.receiver("q");
      take(receiver, 3);
      receiver.close();
    }
    assertThat(server.group("q").parked()).isZero();
    assertThat(take(mq.receiver("q"), 3)).hasSize(3);
  }

  @Test
  void closingGivesBackByANack() throws Exception {
    Mq mq = connectWithQueue();
    mq.sender("q").send(messages(3));
    Receiver receiver = mq.receiver("q");
    take(receiver, 2);
    assertThat(server.nacks()).isZero();
    receiver.close();
    assertThat(texts(take(mq.receiver("q"), 3))).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(server.nacks()).isEqualTo(1);
  }

  @Test
  void oneRequestAcksABatch() throws Exception {
    Mq mq = connectWithQueue();
    Receiver receiver = mq.receiver("q");
    settle(mq.sender("q"), receiver);
    mq.sender("q").send(messages(200));
    List<Delivery> got = take(receiver, 200);
    int before = server.acks();
    acked(receiver.ack(got));
    assertThat(server.acks() - before).isEqualTo(1);
  }

  /** A server that is slow to handle acks forgets those of a subscription that is gone. */
  @Test
  void closingWaitsUntilTheServerHasHandledTheAcks() throws Exception {
    Mq mq = connectWithQueue();
    mq.sender("q").send(messages(10));
    Receiver receiver = mq.receiver("q");
    List<Delivery> got = take(receiver, 10);
    server.ackDelay(Duration.ofMillis(300));
    CompletableFuture<Void> ack = receiver.ack(got.subList(0, 9));
    assertThat(ack).isNotDone();
    receiver.close();
    acked(ack);
    server.ackDelay(Duration.ZERO);
    assertThat(texts(take(mq.receiver("q"), 1))).isEqualTo(texts(got.subList(9, 10)));
  }

  /** The server would take it for an ack by the receiver that holds the message now. */
  @Test
  void anAckThatComesTooLateIsNotSent() throws Exception {
    Mq mq = connectWithQueue("claim.period", "2s");
    Receiver first = mq.receiver("q");
    settle(mq.sender("q"), first);
    mq.sender("q").send(messages(2));
    List<Delivery> got = take(first, 2);
    int acksBefore = server.acks();
    Receiver second = mq.receiver("q");
    List<Delivery> again = new ArrayList<>();
    // The server takes turns, so the first may get one of them once more.
    long start = System.nanoTime();
    while (again.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
      again.addAll(second.receive(2, Duration.ofMillis(100)));
    }
    assertThatThrownBy(() -> first.ack(got).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(MqException.class)
        .hasMessageContaining("a claim had ended before its ack");
    assertThat(server.acks()).isEqualTo(acksBefore);
    acked(second.ack(again));
  }

  /** Else the server would hand its messages to it again and again. */
  @Test
  void aReceiverThatIsStuckLeavesItsMessagesToOthersAndWorksOnLater() throws Exception {
    Mq mq = connectWithQueue("claim.period", "4s");
    Sender sender = mq.sender("q");
    Receiver stuck = mq.receiver("q");
    sender.send(messages(20));
    take(stuck, 10);
    Receiver other = mq.receiver("q");
    List<Delivery> got = take(other, 20);
    acked(other.ack(got));
    other.close();
    sender.send(messages(3));
    acked(stuck.ack(take(stuck, 3)));
  }

  @Test
  void aConsumerThatIsDroppedSaysSo() throws Exception {
    Mq mq = connectWithQueue();
    mq.sender("q").send(messages(2));
    Receiver receiver = mq.receiver("q");
    List<Delivery> got = take(receiver, 2);
    server.dropConsumers();
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(
            () -> {
              long start = System.nanoTime();
              while (System.nanoTime() - start < PATIENCE.toNanos()) {
                receiver.receive(1, Duration.ofMillis(50));
              }
            })
        .withMessageContaining("the receiver of queue q failed and must be opened anew")
        .withMessageContaining("the node goes down");
    assertThatThrownBy(() -> receiver.ack(got).get(30, TimeUnit.SECONDS))
        .hasMessageContaining("0 confirmed, 2 rejected, 0 unknown");
    assertThat(take(mq.receiver("q"), 2)).hasSize(2);
  }

  @Test
  void aServerThatFallsSilentFailsAReceiverThatWaits() {
    Mq mq = connectWithQueue("call.bound", "2s", "connect.bound", "500ms");
    Receiver receiver = mq.receiver("q");
    server.beSilent(true);
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> receiver.receive(1, PATIENCE))
        .withMessageContaining(server.endpoint())
        .withMessageContaining("DEADLINE_EXCEEDED");
  }

  @Test
  void aServerThatHandlesNoAcksFailsTheReceiver() throws Exception {
    Mq mq = connectWithQueue("call.bound", "2s", "connect.bound", "500ms");
    mq.sender("q").send(messages(1));
    Receiver receiver = mq.receiver("q");
    List<Delivery> got = take(receiver, 1);
    server.ackDelay(Duration.ofMinutes(1));
    CompletableFuture<Void> ack = receiver.ack(got);
    assertThatThrownBy(() -> ack.get(30, TimeUnit.SECONDS))
        .hasMessageContaining("the server has not handled all acks");
  }
}
