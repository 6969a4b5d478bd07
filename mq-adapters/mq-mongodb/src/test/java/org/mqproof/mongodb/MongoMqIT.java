package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Filters.in;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;

/** What no rule asks for, and what one would look for in MongoDB. */
class MongoMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("mongodb");

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Long enough for a busy machine to extend a claim in time. */
  private static final Duration EXTENDED_PERIOD = Duration.ofSeconds(10);

  private static final String QUEUE = "details";

  private Mq mq;
  private Server server;

  @BeforeEach
  void connect() {
    mq = MqProvider.named("mongodb").connect(CLUSTER.settings());
    mq.createQueue(QUEUE);
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("claim.period", PERIOD.toMillis() + "ms");
    server = new Server(new MongoSettings(Settings.of(new MongoMqProvider(), settings)));
  }

  @AfterEach
  void disconnect() {
    mq.deleteQueue(QUEUE);
    mq.close();
    server.close();
  }

  @Test
  void aWrongPasswordIsOneClearError() {
    Map<String, String> wrong = new HashMap<>(CLUSTER.settings());
    wrong.put("password", "a guess");
    String addresses = wrong.get("addresses");

    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> MqProvider.named("mongodb").connect(wrong))
        .withMessage("MongoDB at " + addresses + ": cannot connect: Authentication failed.");
  }

  @Test
  void aQueueThatIsThereKeepsItsSlots() {
    Map<String, String> other = new HashMap<>(CLUSTER.settings());
    other.put("slots", "2");
    try (Mq second = MqProvider.named("mongodb").connect(other)) {
      second.createQueue(QUEUE);
    }

    assertThat(queue().slots()).isEqualTo(16);
  }

  /** By the index: neither what others hold nor what is behind is looked at. */
  @Test
  void aLookAtAQueueOfClaimedMessagesReadsNone() throws Exception {
    int messages = 500;
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE)) {
      sender.send(messages(messages, 100));
      List<Delivery> held = receive(receiver, messages);

      Document look = explain(100);

      assertThat(look.getInteger("nReturned")).isZero();
      assertThat(look.getInteger("totalDocsExamined")).isZero();
      assertThat(look.getInteger("totalKeysExamined")).isLessThanOrEqualTo(2 * queue().slots());
      receiver.ack(held).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void aLookReadsNoMoreThanWasAskedFor() throws Exception {
    try (Sender sender = mq.sender(QUEUE)) {
      sender.send(messages(500, 100));

      Document look = explain(10);

      assertThat(look.getInteger("nReturned")).isEqualTo(10);
      assertThat(look.getInteger("totalDocsExamined")).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @EnumSource(MongoSettings.Claim.class)
  void noSlotWaitsWhileNewMessagesComeToTheOthers(MongoSettings.Claim claim) throws Exception {
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("claim", claim.name().toLowerCase(Locale.ROOT));
    Queues.Queue queue = queue();
    MongoCollection<RawBsonDocument> messages = messages();
    byte[] patient = {1};
    messages.insertOne(document(queue.slots() - 1, patient));
    boolean came = false;
    try (Mq other = MqProvider.named("mongodb").connect(settings);
        Receiver receiver = other.receiver(QUEUE)) {
      for (int i = 0; i < 2 * queue.slots() && !came; i++) {
        messages.insertOne(document(0, new byte[] {0}));
        List<Delivery> got = receiver.receive(1, PATIENCE);
        came = Arrays.equals(got.get(0).message().body(), patient);
        receiver.ack(got).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    }

    assertThat(came).isTrue();
  }

  /** Otherwise a message that another receiver has acked meanwhile would be delivered once more. */
  @Test
  void whatAnInterruptedReceiveClaimedIsGivenBackWhenItIsTooOld() throws Exception {
    ClaimBatch really = new ClaimBatch(messages(), queue().slots(), clauses());
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Claims claims =
        claims(
            (max, journal) -> {
              List<Claiming.Claimed> result = really.claim(max, journal);
              claimed.countDown();
              awaitUnchecked(goOn);
              return result;
            });
    Receiver interrupted =
        new ClaimingReceiver<>(
            QUEUE,
            server.calls(),
            server.settings().bounds().hold(),
            claims,
            acks(claims),
            closed -> {});
    try (Sender sender = mq.sender(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(1, 100));
      CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
      Thread receiving =
          new Thread(
              () -> {
                try {
                  List<Delivery> unused = interrupted.receive(1, PATIENCE);
                  wasInterrupted.complete(false);
                } catch (InterruptedException e) {
                  wasInterrupted.complete(true);
                }
              });
      receiving.start();
      assertThat(claimed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      receiving.interrupt();
      assertThat(wasInterrupted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      goOn.countDown();
      other.ack(receive(other, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      assertThat(interrupted.receive(1, Duration.ofMillis(500))).isEmpty();
    } finally {
      goOn.countDown();
      interrupted.close();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Claims claims(Claiming claiming) {
    Queues queues = new Queues(server.settings(), server.database());
    return new Claims(server, queues, queue(), claiming, new Arrivals(server, messages()));
  }

  private AckRounds<MongoDelivery> acks(Claims claims) {
    Duration over = server.settings().bounds().over();
    return new AckRounds<>(QUEUE, MongoDelivery.class, claims, server.calls(), over);
  }

  private Clauses clauses() {
    return new Clauses(server.settings().bounds());
  }

  @Test
  void claimsThatOthersWereFasterWithAreForgotten() {
    Claims claims =
        claims(
            (max, journal) -> {
              journal.mayClaim(new ObjectId(), List.of(new ObjectId()));
              return List.of();
            });
    for (int i = 0; i < 100; i++) {
      assertThat(claims.claim(1, acks(claims))).isEmpty();
    }

    assertThat(claims.doubts()).isZero();
  }

  /** The claim reaches the server; its answer reaches nobody. */
  @Test
  void whatAClaimWithoutAnAnswerHoldsIsGivenBackOnClose() throws Exception {
    ClaimBatch really = new ClaimBatch(messages(), queue().slots(), clauses());
    Claims claims =
        claims(
            (max, journal) -> {
              assertThat(really.claim(max, journal)).hasSize(1);
              throw new MongoException("the answer is lost");
            });
    try (Sender sender = mq.sender(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(1, 100));
      assertThatExceptionOfType(MongoException.class)
          .isThrownBy(() -> claims.claim(1, acks(claims)));
      assertThat(claims.doubts()).isEqualTo(1);
      assertThat(other.receive(1, Duration.ofMillis(200))).isEmpty();

      assertThat(claims.freeAll(List.of())).isTrue();

      other.ack(receive(other, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void aReplicaSetOfFewerNodesThanDeclaredIsRefused() {
    Map<String, String> more = new HashMap<>(CLUSTER.settings());
    more.put("copies", "4");

    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> MqProvider.named("mongodb").connect(more))
        .withMessage(
            "MongoDB at %s: cannot connect: setting copies is 4, and nodes that hold data are 3;"
                    .formatted(more.get("addresses"))
                + " add nodes, or set copies to 3");
  }

  private MongoCollection<RawBsonDocument> messages() {
    return new Queues(server.settings(), server.database()).messages(queue());
  }

  private static RawBsonDocument document(int slot, byte[] body) {
    return new RawBsonDocument(Fields.newMessage(slot, new Message(body)), new BsonDocumentCodec());
  }

  private Document explain(int limit) {
    Queues.Queue queue = queue();
    List<Integer> slots = IntStream.range(0, queue.slots()).boxed().toList();
    return messages()
        .find(and(in(Fields.SLOT, slots), Clauses.CLAIMABLE))
        .hint(Indexes.ascending(Fields.INDEX))
        .limit(limit)
        .explain(ExplainVerbosity.EXECUTION_STATS)
        .get("executionStats", Document.class);
  }

  private Queues.Queue queue() {
    return new Queues(server.settings(), server.database()).get(QUEUE);
  }

  @Test
  void oneReceiveBringsAsManyAsItAsksFor() throws Exception {
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE)) {
      sender.send(messages(500, 100));

      List<Delivery> got = receiver.receive(400, PATIENCE);

      assertThat(got).hasSize(400);
      receiver.ack(got).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void bodiesThatFillMoreThanOneAnswerComeInSeveral() throws Exception {
    int bytes = 7 << 20;
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE)) {
      sender.send(messages(4, bytes));

      List<Delivery> first = receiver.receive(10, PATIENCE);
      assertThat(first).hasSizeBetween(1, 2);
      first.addAll(receive(receiver, 4 - first.size()));

      assertThat(first).allMatch(delivery -> delivery.message().body().length == bytes);
      receiver.ack(first).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void aReceiverThatWaitsDoesNotAskAgainAndAgain() throws Exception {
    try (Receiver receiver = mq.receiver(QUEUE);
        Sender sender = mq.sender(QUEUE)) {
      assertThat(receiver.receive(1, Duration.ofSeconds(2))).isEmpty(); // watches from here on
      long before = finds();
      assertThat(receiver.receive(1, Duration.ofSeconds(3))).isEmpty();
      long after = finds();
      System.out.printf("an idle receiver asked %d times in 3 s%n", after - before);
      assertThat(after - before).isLessThan(40);

      CompletableFuture<List<Delivery>> waiting =
          CompletableFuture.supplyAsync(() -> receiveUnchecked(receiver));
      long sentAt = System.nanoTime();
      sender.send(messages(1, 100));
      List<Delivery> got = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      System.out.printf(
          "a waiting receiver got it %d ms after the call of send%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentAt));
      assertThat(got).hasSize(1);
    }
  }

  private static List<Delivery> receiveUnchecked(Receiver receiver) {
    try {
      return receiver.receive(1, PATIENCE);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How many finds the server has counted, ours and the cluster's own. */
  private long finds() {
    Document status = server.database().runCommand(new Document("serverStatus", 1));
    Document counters = requireNonNull(status.get("opcounters", Document.class));
    return requireNonNull(counters.get("query", Number.class)).longValue();
  }

  /** The server ends a change stream with its collection; a look at its end is no wait. */
  @Test
  void nobodyLooksForNewsOfADeletedQueueAgainAndAgain() throws Exception {
    try (Receiver receiver = mq.receiver(QUEUE)) {
      assertThat(receiver.receive(1, Duration.ofSeconds(2))).isEmpty(); // and news are watched for
      long before = nanosOfAdapter();

      mq.deleteQueue(QUEUE);
      Thread.sleep(1_500);

      assertThat(Duration.ofNanos(nanosOfAdapter() - before))
          .as("processor time of the adapter's threads in 1.5 s")
          .isLessThan(Duration.ofMillis(150));
    }
  }

  private static long nanosOfAdapter() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(thread -> thread != null && thread.getThreadName().startsWith("mqproof-mongodb"))
        .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
        .sum();
  }

  /** A message that is sent to a queue just after its end never comes up in its successor. */
  @Test
  void whatIsSentToADeletedQueueDoesNotComeUpInTheNextOne() throws Exception {
    try (Sender late = mq.sender(QUEUE)) {
      mq.deleteQueue(QUEUE);
      mq.createQueue(QUEUE);
      try {
        late.send(messages(3, 100));
      } catch (SendFailedException e) { // it looks for its queue once in a second, and just did
        assertThat(e.outcomes()).containsOnly(Outcome.REJECTED);
      }

      try (Receiver receiver = mq.receiver(QUEUE)) {
        assertThat(receiver.receive(10, Duration.ofMillis(500))).isEmpty();
      }
    }
  }

  private static final Map<String, String> HEADERS =
      Map.of("traceparent", "00-4bf9", "a.b-c_D", "x.y \u00e4\uD83D\uDE00\t\n", "100", "1");

  private static final List<String> FIELDS_OF_0_1_0 =
      List.of(Fields.ID, Fields.SLOT, Fields.UNTIL, Fields.BODY);

  @ParameterizedTest
  @EnumSource(MongoSettings.Claim.class)
  void headersAreFieldsOfADocumentAndOldDocumentsHaveNone(MongoSettings.Claim claim)
      throws Exception {
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.put("claim", claim.name().toLowerCase(Locale.ROOT));
    MongoCollection<RawBsonDocument> messages = messages();
    try (Mq other = MqProvider.named("mongodb").connect(settings);
        Sender sender = other.sender(QUEUE);
        Receiver receiver = other.receiver(QUEUE)) {
      sender.send(List.of(new Message(new byte[1])));
      RawBsonDocument plain = requireNonNull(messages.find().first());
      assertThat(plain.keySet()).containsExactlyElementsOf(FIELDS_OF_0_1_0);
      assertThat(receive(receiver, 1).get(0).message().headers()).isEmpty();

      sender.send(List.of(new Message(new byte[2], HEADERS)));
      Document seen =
          server.database().getCollection(queue().collection()).find(exists("headers")).first();
      assertThat(new HashMap<>(requireNonNull(seen).get("headers", Document.class)))
          .isEqualTo(HEADERS);
      assertThat(receive(receiver, 1).get(0).message().headers()).isEqualTo(HEADERS);
    }
  }

  @Test
  void headersOfOthersThatAreNoTextOrNotValidAreLeftOut() throws Exception {
    BsonDocument message = Fields.newMessage(0, new Message(new byte[1]));
    message.put(
        "headers", BsonDocument.parse("{n: 1, 'a b': 'x', empty: '', sub: {a: 'x'}, kept: 'x'}"));
    messages().insertOne(new RawBsonDocument(message, new BsonDocumentCodec()));
    try (Receiver receiver = mq.receiver(QUEUE)) {
      assertThat(receive(receiver, 1).get(0).message().headers()).isEqualTo(Map.of("kept", "x"));
    }
  }

  @Test
  void whatIsReleasedGoesToAReceiverThatWaitsAndNothingElseDoes() throws Exception {
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(3, 100));
      List<Delivery> held = receive(receiver, 3);
      assertThat(other.receive(3, Duration.ofSeconds(1))).isEmpty(); // watches from here on
      CompletableFuture<List<Delivery>> waiting =
          CompletableFuture.supplyAsync(() -> receiveUnchecked(other));
      receiver.release(held.subList(0, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      List<Delivery> again = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(again).hasSize(1);
      assertThat(outcomes(receiver.ack(held))).containsExactly(REJECTED, CONFIRMED, CONFIRMED);
      other.ack(again).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(messages().countDocuments()).isZero();
    }
  }

  @Test
  void anExtendedClaimOutlivesItsPeriodAndAnotherDoesNot() throws Exception {
    Map<String, String> brief = new HashMap<>(CLUSTER.settings());
    brief.put("claim.period", EXTENDED_PERIOD.toMillis() + "ms");
    try (Mq second = MqProvider.named("mongodb").connect(brief);
        Sender sender = mq.sender(QUEUE);
        Receiver receiver = second.receiver(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(2, 100));
      List<Delivery> held = receive(receiver, 2);
      List<Delivery> expired = new ArrayList<>();
      long end = System.nanoTime() + EXTENDED_PERIOD.toNanos() * 3 / 2;
      while (System.nanoTime() - end < 0) {
        receiver.extend(held.subList(0, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        expired.addAll(other.receive(2, EXTENDED_PERIOD.dividedBy(10)));
      }

      assertThat(expired).hasSize(1);
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> receiver.extend(held).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .withMessageContaining("a claim had ended before it was extended");
      assertThat(outcomes(receiver.ack(held))).containsExactly(CONFIRMED, REJECTED);
      other.ack(expired).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> ack) throws Exception {
    return ack.handle(
            (done, failure) ->
                failure instanceof AckFailedException failed
                    ? failed.outcomes()
                    : List.<Outcome>of())
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (all.size() < count && System.nanoTime() - deadline < 0) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    return all;
  }

  private static List<Message> messages(int count, int bytes) {
    return IntStream.range(0, count).mapToObj(i -> new Message(new byte[bytes])).toList();
  }
}
