package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.spi.MqProvider;

/**
 * What only the real service does, and ElasticMQ does not: it checks credentials, and fails single
 * entries. A stub on the loopback interface answers as the service's JSON protocol does.
 */
class ServiceErrorsTest {

  private static final String KEY = "AKIAEXAMPLEEXAMPLE";
  private static final String SECRET = "such-a-secret";

  private record Answer(int status, String json) {}

  private HttpServer server;
  private final Queue<String> authorizations = new ConcurrentLinkedQueue<>();
  private volatile Function<String, Answer> service =
      action -> {
        throw new IllegalStateException(action);
      };

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] unused = exchange.getRequestBody().readAllBytes();
          authorizations.add(
              String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          String target = String.valueOf(exchange.getRequestHeaders().getFirst("X-Amz-Target"));
          Answer answer = service.apply(target.substring(target.indexOf('.') + 1));
          byte[] body = answer.json().getBytes(UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
          exchange.sendResponseHeaders(answer.status(), body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    System.setProperty("aws.accessKeyId", KEY);
    System.setProperty("aws.secretAccessKey", SECRET); // the name that v2 knows
    System.setProperty("aws.secretKey", SECRET); // the name that v1 knows
  }

  @AfterEach
  void stop() {
    server.stop(0);
    List.of("aws.accessKeyId", "aws.secretAccessKey", "aws.secretKey")
        .forEach(System::clearProperty);
  }

  private String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private Mq connect(String sdk) {
    Map<String, String> settings = new HashMap<>();
    settings.put("sdk", sdk);
    settings.put("endpoint", "http://" + address());
    settings.put("region", "eu-west-1");
    settings.put("call.bound", "2m"); // a loaded machine takes seconds to load an SDK's classes
    return MqProvider.named("sqs").connect(settings);
  }

  private static Answer error(int status, String type, String message) {
    return new Answer(
        status,
        "{\"__type\":\"com.amazonaws.sqs#%s\",\"message\":\"%s\"}".formatted(type, message));
  }

  private Answer noQueue() {
    return error(400, "QueueDoesNotExist", "The specified queue does not exist.");
  }

  private Answer url() {
    return new Answer(200, "{\"QueueUrl\":\"http://%s/1/q\"}".formatted(address()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void wrongCredentialsAreOneClearErrorWithoutTheSecret(String sdk) {
    service =
        action ->
            error(
                403,
                "InvalidClientTokenId",
                "The security token included in the request is invalid.");

    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> connect(sdk))
        .withMessageStartingWith("SQS at http://" + address() + ": ")
        .withMessageContaining(
            "InvalidClientTokenId: The security token included in the request is invalid.")
        .satisfies(
            e -> {
              for (Throwable shown = e; shown != null; shown = shown.getCause()) {
                assertThat(shown.toString()).doesNotContain(SECRET).doesNotContain(KEY);
              }
            });
    // The chain's credentials were used, and once: a refusal is not tried again.
    assertThat(authorizations).singleElement().asString().contains("Credential=" + KEY + "/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void whoIsKnownAndMayNotAskForAnyQueueIsConnectedAllTheSame(String sdk) {
    service = action -> error(403, "AccessDeniedException", "no permission for that queue");

    try (Mq mq = connect(sdk)) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.sender("q"))
          .withMessageContaining("finding queue q failed: AccessDenied");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void aMissingQueueIsOneClearErrorAndIsNotCreated(String sdk) {
    service = action -> noQueue();

    try (Mq mq = connect(sdk)) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.receiver("orders"))
          .withMessageStartingWith("SQS at http://" + address() + ": finding queue orders failed: ")
          .withMessageContaining("does not exist");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void failedEntriesAreNotDropped(String sdk) throws Exception {
    service =
        action ->
            switch (action) {
              case "GetQueueUrl" -> url();
              // Whoever may send need not be allowed to see the queue's attributes.
              case "GetQueueAttributes" -> error(400, "AccessDeniedException", "not yours");
              // One done, one the sender's fault, one the server's, and one is not mentioned.
              case "SendMessageBatch" ->
                  new Answer(
                      200,
                      """
                      {"Successful":[{"Id":"0","MessageId":"a",
                          "MD5OfMessageBody":"3b98e2dffc6cb06a89dcb0d5c60a0206"}],
                       "Failed":[
                        {"Id":"1","SenderFault":true,"Code":"InvalidMessageContents","Message":"m"},
                        {"Id":"2","SenderFault":false,"Code":"InternalError"}]}
                      """);
              default -> throw new IllegalStateException(action);
            };

    try (Mq mq = connect(sdk);
        Sender sender = mq.sender("q")) {
      List<Message> batch =
          IntStream.range(0, 4).mapToObj(i -> new Message(new byte[] {(byte) i})).toList();
      assertThatExceptionOfType(SendFailedException.class)
          .isThrownBy(() -> sender.send(batch))
          .satisfies(
              e ->
                  assertThat(e.outcomes())
                      .containsExactly(
                          Outcome.CONFIRMED, Outcome.REJECTED, Outcome.UNKNOWN, Outcome.UNKNOWN));
    }
  }

  /** It may have been stored at the first attempt, and then comes twice: at least once. */
  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void anErrorOfTheServiceThatPassesIsTriedAgainAndNoMoreThanTwice(String sdk) throws Exception {
    AtomicInteger errors = new AtomicInteger();
    service =
        action ->
            switch (action) {
              case "GetQueueUrl" -> url();
              case "GetQueueAttributes" -> error(400, "AccessDeniedException", "not yours");
              case "SendMessageBatch" ->
                  errors.getAndDecrement() > 0
                      ? error(503, "ServiceUnavailable", "try again")
                      : new Answer(
                          200,
                          """
                          {"Successful":[{"Id":"0","MessageId":"a",
                              "MD5OfMessageBody":"3b98e2dffc6cb06a89dcb0d5c60a0206"}]}
                          """);
              default -> throw new IllegalStateException(action);
            };

    try (Mq mq = connect(sdk);
        Sender sender = mq.sender("q")) {
      List<Message> batch = List.of(new Message(new byte[] {0}));
      errors.set(2);
      sender.send(batch);
      assertThat(errors).hasValue(-1);

      errors.set(3);
      assertThatExceptionOfType(SendFailedException.class)
          .isThrownBy(() -> sender.send(batch))
          .satisfies(e -> assertThat(e.outcomes()).containsExactly(Outcome.UNKNOWN));
      assertThat(errors).hasValue(0);
    }
  }

  /** What the service gives a queue whose maker does not say otherwise. */
  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void aQueueThatForgetsAfterFourDaysIsRefused(String sdk) {
    service =
        action ->
            switch (action) {
              case "GetQueueUrl" -> url();
              case "GetQueueAttributes" ->
                  new Answer(200, "{\"Attributes\":{\"MessageRetentionPeriod\":\"345600\"}}");
              default -> throw new IllegalStateException(action);
            };

    try (Mq mq = connect(sdk)) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.sender("q"))
          .withMessageContaining("MessageRetentionPeriod is 345600, must be at least 1209600");
    }
  }
}
