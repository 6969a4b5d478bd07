package org.mqproof.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.cluster.security.TestAuthority;
import org.mqproof.spi.MqProvider;

/** An endpoint whose certificate is of an authority of its own; it knows no queue. */
class SqsTlsTest {

  private static final byte[] NO_QUEUE =
      "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\",\"message\":\"none\"}".getBytes(UTF_8);

  private static final AtomicInteger CONNECTIONS = new AtomicInteger();

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before
  private static Path directory;

  @SuppressWarnings("NullAway.Init")
  private static TestAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private static HttpsServer server;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException {
    authority = TestAuthority.make(directory.resolve("ours"));
    TestAuthority.Identity node = authority.issue("node", List.of("127.0.0.1"));
    char[] password = authority.storePassword().toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(node.store())) {
      store.load(in, password);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(com.sun.net.httpserver.HttpsParameters parameters) {
            CONNECTIONS.incrementAndGet();
            super.configure(parameters);
          }
        });
    server.createContext(
        "/",
        exchange -> {
          byte[] unused = exchange.getRequestBody().readAllBytes();
          exchange
              .getResponseHeaders()
              .set("x-amzn-query-error", "AWS.SimpleQueueService.NonExistentQueue;Sender");
          exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
          exchange.sendResponseHeaders(400, NO_QUEUE.length);
          exchange.getResponseBody().write(NO_QUEUE);
          exchange.close();
        });
    server.start();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  private static Mq connect(String sdk, String host, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.putAll(
        Map.of(
            "sdk",
            sdk,
            "endpoint",
            "https://" + host + ":" + server.getAddress().getPort(),
            "region",
            "us-east-1",
            "credentials",
            "anonymous"));
    return MqProvider.named("sqs").connect(settings);
  }

  private static Map<String, String> trusting(TestAuthority whom) {
    return Map.of("tls", "true", "tls.ca.file", whom.file().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v1"})
  void anAuthorityOfTheEndpointsOwnIsTrusted(String sdk) {
    try (Mq mq = connect(sdk, "127.0.0.1", trusting(authority))) {
      assertThat(mq.traits().mode()).isEqualTo("sdk=" + sdk);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v1"})
  void anotherAuthorityIsRefusedAtOnce(String sdk) {
    TestAuthority other = TestAuthority.make(directory.resolve("other-" + sdk));
    int before = CONNECTIONS.get();
    for (Map<String, String> wrong : List.of(trusting(other), Map.<String, String>of())) {
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> connect(sdk, "127.0.0.1", wrong).close())
          .withMessageStartingWith("SQS at https://127.0.0.1:")
          .withMessageEndingWith(
              ": the broker's certificate is of no authority that tls.ca.file trusts");
    }
    assertThat(CONNECTIONS.get() - before).isLessThanOrEqualTo(2 * 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v1"})
  void aCertificateForAnotherHostIsRefused(String sdk) {
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> connect(sdk, "localhost", trusting(authority)).close())
        .withMessageContaining(
            "the broker's certificate is not for the host that was connected to");
  }

  @Test
  void whatIsOfNoUseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SqsSettingsTest.settings(Map.of("endpoint", "http://a:1", "tls", "true")))
        .withMessage("sqs: setting tls=true needs an endpoint that begins with https://");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> SqsSettingsTest.settings(Map.of("tls", "true", "tls.check.host", "false")))
        .withMessage("sqs: setting tls.check.host cannot be false: the SDKs always check it");
  }
}
