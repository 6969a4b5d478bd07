package org.mqproof.support;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.cluster.security.TestAuthority;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/** Handshakes with a server of the JVM's own, and the files that settings can name. */
class TlsTest {

  private static final int PATIENCE_MILLIS = 30_000;

  private static final int RECORD_HEADER_BYTES = 5;

  /** As {@code openssl pkcs8 -topk8} encrypts today, and as old versions did. */
  private static final String AES = "2.16.840.1.101.3.4.1.42";

  private static final String DES = "1.2.840.113549.1.12.1.3";

  private static final MqProvider PROVIDER =
      new MqProvider() {
        @Override
        public String name() {
          return "some";
        }

        @Override
        public List<Setting<?>> settings() {
          return Tls.with(List.of());
        }

        @Override
        public Mq connect(Map<String, String> settings) {
          throw new UnsupportedOperationException();
        }
      };

  private static Path directory;
  private static TestAuthority authority;
  private static TestAuthority.Identity server;
  private static TestAuthority.Identity client;

  @BeforeAll
  static void makeCertificates(@TempDir Path temporary) {
    directory = temporary;
    authority = TestAuthority.make(directory.resolve("ours"));
    server = authority.issue("server", List.of("127.0.0.1"));
    client = authority.issue("client", List.of());
  }

  private static Optional<Tls> tls(Map<String, String> settings) {
    return Tls.of("some", Settings.of(PROVIDER, settings));
  }

  private static Tls tls(String... settings) {
    Map<String, String> all = new HashMap<>(Map.of("tls", "true"));
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    return tls(all).orElseThrow();
  }

  /** The name of whom the server talked to; shakes hands as clients of brokers do. */
  private static String shakeHands(Tls own, TestAuthority.Identity serverIs, String host)
      throws IOException, InterruptedException {
    SSLContext there =
        tls("tls.ca.file", authority.file().toString(), "tls.cert.file", serverIs.both().toString())
            .context();
    return shakeHands(own, there, host);
  }

  private static String shakeHands(Tls own, SSLContext there, String host)
      throws IOException, InterruptedException {
    try (SSLServerSocket listening =
        (SSLServerSocket)
            there
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listening.setWantClientAuth(true);
      listening.setSoTimeout(PATIENCE_MILLIS);
      CompletableFuture<String> peer = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try (SSLSocket accepted = (SSLSocket) listening.accept()) {
                  accepted.setSoTimeout(PATIENCE_MILLIS);
                  accepted.startHandshake();
                  accepted.getOutputStream().write(1);
                  try {
                    peer.complete(accepted.getSession().getPeerPrincipal().getName());
                  } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
                    peer.complete("nobody");
                  }
                } catch (IOException e) {
                  peer.completeExceptionally(e);
                }
              });
      thread.start();
      try (SSLSocket socket =
          (SSLSocket)
              own.context().getSocketFactory().createSocket(host, listening.getLocalPort())) {
        socket.setSoTimeout(PATIENCE_MILLIS);
        if (own.checksHost()) {
          SSLParameters parameters = socket.getSSLParameters();
          parameters.setEndpointIdentificationAlgorithm("HTTPS");
          socket.setSSLParameters(parameters);
        }
        socket.startHandshake();
        assertThat(socket.getInputStream().read()).isEqualTo(1);
        return peer.get();
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } finally {
        thread.join(PATIENCE_MILLIS);
      }
    }
  }

  @Test
  @DisplayName("without tls=true there is none, and none of its settings is taken in silence")
  void noTls() {
    assertThat(tls(Map.of())).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tls(Map.of("tls.ca.file", authority.file().toString())))
        .withMessage("some: setting tls.ca.file is of no use without tls=true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pem", "both", "pkcs12"})
  @DisplayName("authorities and own certificate are read from PEM files and key stores alike")
  void forms(String form) throws Exception {
    String password = authority.storePassword();
    Tls own =
        switch (form) {
          case "pem" ->
              tls(
                  "tls.ca.file",
                  authority.file().toString(),
                  "tls.cert.file",
                  client.certificate().toString(),
                  "tls.key.file",
                  client.key().toString());
          case "both" ->
              tls(
                  "tls.ca.file",
                  authority.file().toString(),
                  "tls.cert.file",
                  client.both().toString());
          default ->
              tls(
                  "tls.ca.file",
                  authority.trustStore().toString(),
                  "tls.ca.password",
                  password,
                  "tls.cert.file",
                  client.store().toString(),
                  "tls.key.password",
                  password);
        };
    assertThat(shakeHands(own, server, "127.0.0.1")).isEqualTo("CN=client,OU=clients");
    assertThat(own.authoritiesPem().orElseThrow()).isEqualTo(Files.readString(authority.file()));
    assertThat(own.keyPem().orElseThrow()).isEqualTo(Files.readString(client.key()));
    assertThat(own.certificatePem().orElseThrow())
        .startsWith(Files.readString(client.certificate()));
  }

  @Test
  @DisplayName("a JKS key store, which Java wrote until Java 9, is read as well")
  void jks() throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(null, null);
    store.setCertificateEntry("a", Pem.certificates(Files.readString(authority.file())).get(0));
    Path file = directory.resolve("trust.jks");
    try (var out = Files.newOutputStream(file)) {
      store.store(out, "changeit".toCharArray());
    }
    Tls own = tls("tls.ca.file", file.toString(), "tls.ca.password", "changeit");
    assertThat(shakeHands(own, server, "127.0.0.1")).isEqualTo("nobody");
  }

  @ParameterizedTest
  @ValueSource(strings = {AES, DES})
  @DisplayName("an encrypted key is opened by its password, and by no other")
  void encryptedKey(String algorithm) throws Exception {
    Path file = encrypted(algorithm, "sesame");
    String certificate = client.certificate().toString();
    Function<String, Tls> opened =
        password ->
            tls(
                "tls.cert.file",
                certificate,
                "tls.key.file",
                file.toString(),
                "tls.key.password",
                password);
    assertThat(opened.apply("sesame").keyPem().orElseThrow())
        .isEqualTo(Files.readString(client.key()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> opened.apply("planted"))
        .withMessageContaining("tls.key.file")
        .withMessageContaining("not to be had with this password")
        .withMessageNotContaining("planted");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tls("tls.cert.file", certificate, "tls.key.file", file.toString()))
        .withMessageContaining("is encrypted, and no password is given");
  }

  private static Path encrypted(String algorithm, String password) throws Exception {
    PrivateKey key = Pem.key(Files.readString(client.key()), new char[0]);
    byte[] info =
        new JcaPKCS8Generator(
                key,
                new JceOpenSSLPKCS8EncryptorBuilder(new ASN1ObjectIdentifier(algorithm))
                    .setProvider(new BouncyCastleProvider())
                    .setPRF(PKCS8Generator.PRF_HMACSHA256)
                    .setPassword(password.toCharArray())
                    .build())
            .generate()
            .getContent();
    Path file = directory.resolve(algorithm + ".key");
    return Files.writeString(file, Pem.text("ENCRYPTED PRIVATE KEY", info), US_ASCII);
  }

  @Test
  @DisplayName("what cannot be used is said in one sentence with the setting, and why")
  void unusableFiles() throws Exception {
    Path text = Files.writeString(directory.resolve("notes.txt"), "no certificate");
    Path old =
        Files.writeString(directory.resolve("old.key"), Pem.text("RSA PRIVATE KEY", new byte[8]));
    String ended = authority.issue("ended", List.of(), Duration.ofHours(-1)).both().toString();
    String missing = directory.resolve("missing.pem").toString();
    String certificate = client.certificate().toString();
    String store = client.store().toString();
    assertRefused("tls.ca.file", "it cannot be read: NoSuchFile", "tls.ca.file", missing);
    assertRefused("tls.ca.file", "neither PEM nor a key store", "tls.ca.file", text.toString());
    assertRefused("tls.ca.file", "no certificate is in it", "tls.ca.file", old.toString());
    assertRefused("tls.cert.file", "no private key is in it", "tls.cert.file", certificate);
    assertRefused("tls.cert.file", "its certificate ended on", "tls.cert.file", ended);
    assertRefused(
        "tls.key.file",
        "openssl pkcs8 -topk8",
        "tls.cert.file",
        certificate,
        "tls.key.file",
        old.toString());
    assertRefused(
        "tls.cert.file",
        "its password is another one",
        "tls.cert.file",
        store,
        "tls.key.password",
        "planted");
    assertRefused("tls.key.file", "without tls.cert.file", "tls.key.file", client.key().toString());
  }

  private static void assertRefused(String setting, String reason, String... settings) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tls(settings))
        .withMessageStartingWith("some: setting " + setting)
        .withMessageContaining(reason)
        .withMessageNotContaining("planted");
  }

  @Test
  @DisplayName("a failed handshake is explained in the words of the settings")
  void failures() {
    TestAuthority other = TestAuthority.make(directory.resolve("theirs"));
    Tls trusting = tls("tls.ca.file", authority.file().toString());
    assertFails(
        tls("tls.ca.file", other.file().toString()), server, "127.0.0.1", "of no authority");
    assertFails(tls(), server, "127.0.0.1", "of no authority");
    assertFails(trusting, endedNow(), "127.0.0.1", "the broker's certificate has ended");
    assertFails(trusting, server, "localhost", "not for the host");
  }

  @Test
  @DisplayName("without tls.check.host any certificate of the authority will do")
  void hostIsNotChecked() throws Exception {
    Tls careless = tls("tls.ca.file", authority.file().toString(), "tls.check.host", "false");
    assertThat(shakeHands(careless, server, "localhost")).isEqualTo("nobody");
  }

  private static TestAuthority.Identity endedNow() {
    return authority.issue("expired", List.of("127.0.0.1"), Duration.ofMinutes(-1));
  }

  private static void assertFails(
      Tls own, TestAuthority.Identity serverIs, String host, String reason) {
    assertThatIOException()
        .isThrownBy(() -> shakeHands(own, serverContext(serverIs), host))
        .satisfies(e -> assertThat(TlsFailure.explain(e).orElse(e.toString())).contains(reason));
  }

  /** Of a server that gives what it has, also if that has ended. */
  private static SSLContext serverContext(TestAuthority.Identity serverIs) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(serverIs.store())) {
      store.load(in, authority.storePassword().toCharArray());
    }
    var keys =
        javax.net.ssl.KeyManagerFactory.getInstance(
            javax.net.ssl.KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, authority.storePassword().toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  @ParameterizedTest(name = "with TLS: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("the look at a port that hangs ends with the time it has: it does not say goodbye")
  void hangingPort(boolean withTls) throws Exception {
    try (var listening = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<byte[]> heard = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try (var accepted = listening.accept()) {
                  accepted.setSoTimeout(PATIENCE_MILLIS);
                  heard.complete(accepted.getInputStream().readAllBytes());
                } catch (IOException e) {
                  heard.completeExceptionally(e);
                }
              });
      thread.start();
      MqException failure = new MqException("some: no node serves");
      MqException explained =
          TlsFailure.explained(
              failure,
              withTls ? Optional.of(tls()) : Optional.empty(),
              List.of("127.0.0.1:" + listening.getLocalPort()));
      assertThat(explained.getMessage())
          .isEqualTo(
              withTls
                  ? "some: no node serves: this port does not answer TLS: it hangs, or is one for"
                      + " tls=false"
                  : "some: no node serves");
      byte[] hello = heard.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      int length = ((hello[3] & 0xff) << 8) | (hello[4] & 0xff);
      assertThat(hello).as("one record of TLS").hasSize(RECORD_HEADER_BYTES + length);
      thread.join(PATIENCE_MILLIS);
    }
  }

  /** Accepts one client, greets it, and reads until it leaves. */
  private static Thread drain(java.net.ServerSocket listening, String greeting) {
    Thread thread =
        new Thread(
            () -> {
              try (var accepted = listening.accept()) {
                accepted.setSoTimeout(PATIENCE_MILLIS);
                accepted.getOutputStream().write(greeting.getBytes(US_ASCII));
                accepted.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
              } catch (IOException e) {
                return; // the client has seen enough
              }
            });
    thread.start();
    return thread;
  }

  @Test
  @DisplayName("a node that hangs does not hide what another one tells")
  void oneHangs() throws Exception {
    var waiting = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    var serving =
        serverContext(server)
            .getServerSocketFactory()
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    try (waiting;
        serving) {
      Thread thread = drain(serving, "");
      assertThat(
              TlsFailure.explained(
                  new MqException("some: no node serves"),
                  tls(Map.of("tls", "true")),
                  List.of(
                      "127.0.0.1:" + waiting.getLocalPort(),
                      "127.0.0.1:" + serving.getLocalPort())))
          .hasMessage(
              "some: no node serves: the broker's certificate is of no authority that tls.ca.file"
                  + " trusts");
      thread.join(PATIENCE_MILLIS);
    }
  }

  @Test
  @DisplayName("a port without TLS is told from one with it")
  void plainPort() throws Exception {
    try (var listening = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listening.setSoTimeout(PATIENCE_MILLIS);
      Thread thread = drain(listening, "AMQP\0\0\11\1");
      assertThatIOException()
          .isThrownBy(
              () -> {
                try (SSLSocket socket =
                    (SSLSocket)
                        tls()
                            .context()
                            .getSocketFactory()
                            .createSocket("127.0.0.1", listening.getLocalPort())) {
                  socket.setSoTimeout(PATIENCE_MILLIS);
                  socket.startHandshake();
                }
              })
          .satisfies(
              e -> assertThat(TlsFailure.explain(e).orElseThrow()).contains("does not answer TLS"));
      thread.join(PATIENCE_MILLIS);
    }
  }
}
