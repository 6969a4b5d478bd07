package org.mqproof.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.spi.MqProvider;

/** Several clients make the same queue at once: what Pulsar 4.2.4 then says to all but one. */
class CreateQueueTest {

  private static final String BUSY = "Failed for Subscription Busy: Failed to fence subscription";

  private record Answer(int status, String reason) {}

  private HttpServer server;
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
    server.createContext("/", exchange -> answer(exchange, new Answer(200, "")));
    server.createContext(
        "/admin/v2/persistent/public/mqproof-2-2-2/q/subscription/",
        exchange -> answer(exchange, answers.remove()));
    server.start();
  }

  private static void answer(HttpExchange exchange, Answer answer) throws IOException {
    try (exchange) {
      byte[] unused = exchange.getRequestBody().readAllBytes();
      byte[] body = "{\"reason\":\"%s\"}".formatted(answer.reason()).getBytes(UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Mq connect() {
    return MqProvider.named("pulsar")
        .connect(Map.of("admin.url", "http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @Test
  void whoFindsThatAnotherOneMakesItAsksAgain() {
    answers.add(new Answer(412, BUSY));
    answers.add(new Answer(412, BUSY));
    answers.add(new Answer(409, "Subscription already exists for topic"));
    try (Mq mq = connect()) {
      mq.createQueue("q");
    }
    assertThat(answers).isEmpty();
  }

  /** A user who may send and receive need not be the tenant's administrator. */
  @Test
  void whoMayNotAdministerConnectsAllTheSame() {
    answersTo("/admin/v2/brokers/configuration/runtime", new Answer(401, "needs a superuser"));
    answersTo("/admin/v2/namespaces/public/mqproof-2-2-2", new Answer(403, "needs an admin"));
    answersTo("/admin/v2/persistent/public/mqproof-2-2-2/q", new Answer(403, "needs an admin"));
    try (Mq mq = connect()) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.createQueue("q"))
          .withMessageContaining("cannot create queue q: status 403")
          .withMessageContaining("needs an admin");
    }
  }

  /** What Pulsar answers where a token is wrong, or there is none. */
  @Test
  void whomNobodyKnowsDoesNotConnect() {
    answersTo(
        "/admin/v2/brokers/configuration/runtime", new Answer(401, "Authentication required"));
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(this::connect)
        .withMessageContaining("cannot read the configuration: status 401")
        .withMessageContaining("Authentication required");
  }

  @Test
  void aNamespaceThatDropsMessagesIsRefused() {
    answersTo(
        "/admin/v2/namespaces/public/mqproof-2-2-2",
        new Answer(200, "\",\"message_ttl_in_seconds\":60,\"x\":\""));
    try (Mq mq = connect()) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> mq.createQueue("q"), () -> mq.sender("q"), () -> mq.receiver("q"))) {
        assertThatExceptionOfType(MqException.class)
            .isThrownBy(call)
            .withMessageContaining(
                "namespace public/mqproof-2-2-2 cannot keep what the settings promise:"
                    + " message_ttl_in_seconds is 60, must be 0; change it, or the settings, or set"
                    + " check.namespace=false and lose messages");
      }
    }
  }

  private void answersTo(String path, Answer answer) {
    server.createContext(path, exchange -> answer(exchange, answer));
  }

  @Test
  void anotherConditionThatIsNotMetIsAnError() {
    answers.add(new Answer(412, "Topic is partitioned"));
    try (Mq mq = connect()) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> mq.createQueue("q"))
          .withMessageContaining("cannot create queue q: status 412")
          .withMessageContaining("partitioned");
    }
  }
}
