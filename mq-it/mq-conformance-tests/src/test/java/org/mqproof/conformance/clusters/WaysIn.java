package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.security.TestAuthority;
import org.mqproof.spi.MqProvider;

/**
 * The ways in to a cluster that encrypts and asks who comes, the right ones and the wrong ones. A
 * wrong one ends within {@code connect.bound} and a second, in one sentence that says what to do
 * and shows no secret.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(
    value = "org.mqproof.conformance.threads-and-sockets",
    mode = ResourceAccessMode.READ,
    target = ResourceLockTarget.CHILDREN)
abstract class WaysIn {

  private static final String BODY = "here";
  private static final String PLANTED = "planted-secret";

  /** Of a store with nothing secret in it. */
  static final String STORE_PASSWORD = "mqproof";

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);

  /** For the probe of TLS, and for a busy machine. */
  private static final Duration MORE = Duration.ofSeconds(10);

  /** How long adapters probe TLS after a failed connect, as in {@code TlsFailure}. */
  private static final Duration PROBE_BOUND = Duration.ofMillis(1_500);

  /** Most attempts while the brokers are busy. */
  private static final int TRIES = 5;

  private final TestCluster cluster;
  private final boolean certificatesWanted;
  private String way = "";

  /**
   * The tests of a cluster.
   *
   * @param certificatesWanted whether there is an address for clients with a certificate only
   */
  WaysIn(TestCluster cluster, boolean certificatesWanted) {
    this.cluster = cluster;
    this.certificatesWanted = certificatesWanted;
  }

  @BeforeEach
  void nameTheWay(TestInfo test) {
    way = test.getDisplayName();
  }

  @Test
  @DisplayName("a password and TLS")
  void password() throws InterruptedException {
    passOne(cluster.settings(Access.PASSWORD));
  }

  @Test
  @DisplayName("a certificate of the client's own")
  void certificate() throws InterruptedException {
    passOne(cluster.settings(Access.CERTIFICATE));
  }

  final void passOne(Map<String, String> settings) throws InterruptedException {
    String queue = newName();
    try (Mq mq = connect(settings)) {
      mq.createQueue(queue);
      passOne(mq, queue);
      mq.deleteQueue(queue);
    }
  }

  static String newName() {
    return "way-in-" + Long.toHexString(System.nanoTime());
  }

  private static void passOne(Mq mq, String queue) throws InterruptedException {
    sendOne(mq, queue);
    receiveIt(mq, queue);
  }

  private static void sendOne(Mq mq, String queue) throws InterruptedException {
    try (Sender sender = mq.sender(queue)) {
      sender.send(List.of(new Message(BODY.getBytes(UTF_8))));
    }
  }

  private static void receiveIt(Mq mq, String queue) throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      List<Delivery> deliveries = receiver.receive(1, Duration.ofSeconds(20));
      assertThat(deliveries)
          .singleElement()
          .satisfies(delivery -> assertThat(delivery.message().body()).asString().isEqualTo(BODY));
      Void unused = receiver.ack(deliveries).orTimeout(20, TimeUnit.SECONDS).join();
    }
  }

  @Test
  @DisplayName("the vendor's own client, with its own settings, and TLS and the same password")
  void vendorsClient(@TempDir Path directory) throws Exception {
    Optional<VendorsClient> client = client();
    assumeTrue(client.isPresent(), "no client of this system's vendor is set up here");
    Map<String, String> settings = cluster.settings(Access.PASSWORD);
    String queue = newName();
    try (Mq mq = connect(settings)) {
      mq.createQueue(queue);
      client.orElseThrow().send(settings, directory, queue, BODY.getBytes(UTF_8));
      receiveIt(mq, queue);
      mq.deleteQueue(queue);
    }
  }

  /**
   * Sends by the vendor's client alone, so that what our settings mean is what the vendor means.
   */
  interface VendorsClient {
    void send(Map<String, String> settings, Path directory, String queue, byte[] body)
        throws Exception;
  }

  /** Who sends, if there is somebody. */
  Optional<VendorsClient> client() {
    return Optional.empty();
  }

  /** What a client of the JDK's TLS needs. */
  static SSLContext trusting(Map<String, String> settings)
      throws GeneralSecurityException, IOException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trustManagers(settings), null);
    return context;
  }

  static TrustManager[] trustManagers(Map<String, String> settings)
      throws GeneralSecurityException, IOException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trustStore(settings));
    return trust.getTrustManagers();
  }

  /** For clients that read no PEM: a file with {@link #STORE_PASSWORD}. */
  static Path trustStore(Map<String, String> settings, Path directory)
      throws GeneralSecurityException, IOException {
    Path file = directory.resolve("authority.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      trustStore(settings).store(out, STORE_PASSWORD.toCharArray());
    }
    return file;
  }

  private static KeyStore trustStore(Map<String, String> settings)
      throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(Path.of(setting(settings, "tls.ca.file")))) {
      trusted.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    return trusted;
  }

  static String setting(Map<String, String> settings, String key) {
    return Objects.requireNonNull(settings.get(key), key);
  }

  @Test
  @DisplayName("a file whose password changes")
  void passwordFile(@TempDir Path directory) throws Exception {
    assumeTrue(
        connectsAgain(), "this adapter uses its connections again, or its driver keeps passwords");
    Map<String, String> settings = new HashMap<>(cluster.settings(Access.PASSWORD));
    String right = settings.remove(secret());
    Path file = Files.writeString(directory.resolve("secret"), right);
    settings.put(secret() + ".file", file.toString());
    String queue = newName();
    try (Mq mq = connect(settings)) {
      mq.createQueue(queue);
      Files.writeString(file, wrongSecret());
      Assertions.assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> connectAgain(mq, queue))
          .withMessageContaining(wrongPasswordSays());
      Files.writeString(file, right + "\n");
      passOne(mq, queue);
      mq.deleteQueue(queue);
    }
  }

  /** Whether {@link #connectAgain} does. */
  boolean connectsAgain() {
    return true;
  }

  /** Does something for which the adapter makes a connection that it has not yet. */
  void connectAgain(Mq mq, String queue) throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      var unused = receiver.receive(1, Duration.ofSeconds(20));
    }
  }

  @Test
  @DisplayName("an authority that did not sign the broker's certificate")
  void wrongAuthority(@TempDir Path directory) {
    TestAuthority other = TestAuthority.make(directory);
    refused(
        Access.PASSWORD,
        settings -> with(settings, "tls.ca.file", other.file().toString()),
        "the broker's certificate is of no authority that tls.ca.file trusts");
  }

  @Test
  @DisplayName("the JVM's authorities, which did not sign it either")
  void noAuthority() {
    refused(
        Access.PASSWORD,
        settings -> with(settings, "tls.ca.file", ""),
        "the broker's certificate is of no authority that tls.ca.file trusts");
  }

  @Test
  @DisplayName("a name that is not in the broker's certificate")
  void wrongHost() {
    refused(
        Access.PASSWORD,
        settings -> {
          settings.replaceAll((key, value) -> otherName(value));
          return settings;
        },
        "the broker's certificate is not for the host that was connected to");
  }

  /** The same addresses by another name of the machine. */
  String otherName(String addresses) {
    return addresses.replace("127.0.0.1:", "localhost:");
  }

  @Test
  @DisplayName("no certificate where the broker wants one")
  void noCertificate() {
    assumeTrue(certificatesWanted, "this cluster wants no certificate at any address");
    refused(
        Access.CERTIFICATE,
        settings -> {
          settings.remove("tls.cert.file");
          settings.remove("tls.key.file");
          return settings;
        },
        "the broker wants a certificate of this client, tls.cert.file, that it trusts");
  }

  @Test
  @DisplayName("a certificate of another authority where the broker wants one")
  void wrongCertificate(@TempDir Path directory) {
    assumeTrue(certificatesWanted, "this cluster wants no certificate at any address");
    TestAuthority.Identity other = TestAuthority.make(directory).issue("mqproof", List.of());
    refused(
        Access.CERTIFICATE,
        settings ->
            with(
                with(settings, "tls.cert.file", other.certificate().toString()),
                "tls.key.file",
                other.key().toString()),
        "the broker wants a certificate of this client, tls.cert.file, that it trusts");
  }

  @Test
  @DisplayName("a wrong password")
  void wrongPassword() {
    refused(
        Access.PASSWORD, settings -> with(settings, secret(), wrongSecret()), wrongPasswordSays());
  }

  /** The setting that proves who comes. */
  String secret() {
    return "password";
  }

  /** What the broker does not take for it. */
  String wrongSecret() {
    return PLANTED;
  }

  /** What the broker says of it. */
  abstract String wrongPasswordSays();

  @Test
  @DisplayName("a user who may send to and receive from one queue, and nothing else")
  void leastRights() throws Exception {
    assumeFalse(missingRightSays().isEmpty(), "this cluster has no such user");
    leastRights(Map.of(), rightToCreate());
  }

  final void leastRights(Map<String, String> mode, String rightToCreate) throws Exception {
    String queue = Access.LEAST_QUEUE;
    String other = newName();
    try (Mq owner = connect(with(mode, Access.PASSWORD))) {
      owner.createQueue(queue);
      owner.createQueue(other);
      grantLeastRights(owner);
      try (Mq mq = connect(with(mode, Access.LEAST))) {
        passOne(mq, queue);
        assertRightMissing(() -> mq.createQueue(newName()), rightToCreate);
        assertRightMissing(() -> mq.deleteQueue(queue), missingRightSays());
        sendOne(owner, other); // there is something to receive
        assertRightMissing(() -> receiveIt(mq, other), missingRightSays());
        if (!whoSendsToOneQueueMaySendToAll()) {
          assertRightMissing(() -> sendOne(mq, other), missingRightSays());
        }
      }
      passOne(owner, queue); // it is still there
    } finally {
      try (Mq owner = connect(with(mode, Access.PASSWORD))) {
        owner.deleteQueue(queue);
        owner.deleteQueue(other);
      }
    }
  }

  private Map<String, String> with(Map<String, String> mode, Access access) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(cluster.settings(access));
    return settings;
  }

  /** What the broker says when a right is missing; empty if it has no user with the least. */
  String missingRightSays() {
    return "";
  }

  /** What it says of the right to make queues. */
  String rightToCreate() {
    return missingRightSays();
  }

  /** Lets {@link Access#LEAST_USER} use its queue, if the cluster was not made so. */
  void grantLeastRights(Mq owner) throws Exception {}

  /** Whether the broker has no right to send that is for one queue alone. */
  boolean whoSendsToOneQueueMaySendToAll() {
    return false;
  }

  private void assertRightMissing(ThrowingCallable call, String says) {
    Assertions.assertThatExceptionOfType(MqException.class)
        .isThrownBy(call)
        .satisfies(
            e -> {
              System.out.printf("missing right | %s | %s%n", cluster.system(), e.getMessage());
              assertThat(e).hasMessageContaining(says);
              assertThat(String.valueOf(e.getMessage()).lines()).hasSize(1);
            });
  }

  @Test
  @DisplayName("TLS to a port without")
  void tlsToPlain() {
    wrongPort(Access.PASSWORD, Access.PLAIN, "this port does not answer TLS");
  }

  @Test
  @DisplayName("no TLS to a port with")
  void plainToTls() {
    wrongPort(Access.PLAIN, Access.PASSWORD, "this port speaks TLS: set tls=true");
  }

  private void wrongPort(Access access, Access portOf, String says) {
    assumeTrue(
        addresses(Access.PLAIN).findAny().isPresent()
            && addresses(Access.PLAIN).noneMatch(addresses(Access.PASSWORD).toList()::contains),
        "this system's ports take both, or its addresses say which they are");
    Map<String, String> there = cluster.settings(portOf);
    refused(
        access,
        settings -> {
          settings.replaceAll((key, value) -> isAddress(key) ? there.get(key) : value);
          return settings;
        },
        says);
  }

  private Stream<String> addresses(Access access) {
    return cluster.settings(access).entrySet().stream()
        .filter(setting -> isAddress(setting.getKey()))
        .map(Map.Entry::getValue);
  }

  private static boolean isAddress(String key) {
    return Set.of("addresses", "bootstrap.servers", "servers").contains(key);
  }

  static Map<String, String> with(Map<String, String> settings, String key, String value) {
    settings.put(key, value);
    return settings;
  }

  /** By a right way: as patient as the kit's own tests. */
  final Mq connect(Map<String, String> settings) {
    return connect(settings, ClusterConformance.PATIENT);
  }

  private Mq connect(Map<String, String> settings, Map<String, String> bounds) {
    Map<String, String> bounded = new HashMap<>(settings);
    bounded.putAll(bounds);
    return MqProvider.named(cluster.system()).connect(bounded);
  }

  /**
   * Requires that a client with these settings is not let in, and told why.
   *
   * <p>Adapters cannot distinguish brokers that are too busy for a handshake from brokers that
   * hang. So a client with the right settings connects at the same time, and if that takes longer
   * than a probe, the attempt is repeated.
   */
  final void refused(Access access, UnaryOperator<Map<String, String>> change, String says) {
    Map<String, String> settings = change.apply(new HashMap<>(cluster.settings(access)));
    Refusal refusal;
    boolean wasBusy;
    int tries = 0;
    do {
      CompletableFuture<Boolean> busy =
          CompletableFuture.supplyAsync(this::isBusy, task -> new Thread(task).start());
      refusal = refusal(settings);
      wasBusy = busy.join();
      tries++;
    } while (!refusal.says(says) && wasBusy && tries < TRIES);
    refusal.require(says);
  }

  private boolean isBusy() {
    long start = System.nanoTime();
    connect(cluster.settings(Access.PASSWORD)).close();
    return Duration.ofNanos(System.nanoTime() - start).compareTo(PROBE_BOUND) > 0;
  }

  private Refusal refusal(Map<String, String> settings) {
    String secret = settings.getOrDefault("password", settings.getOrDefault("token", PLANTED));
    Map<String, String> bounds = Map.of("connect.bound", CONNECT_BOUND.toSeconds() + "s");
    long start = System.nanoTime();
    MqException failure =
        catchThrowableOfType(MqException.class, () -> connect(settings, bounds).close());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertThat(failure).as("refusal").isNotNull();
    System.out.printf(
        "wrong way in | %s | %s | %s | %.1f s%n",
        way, cluster.system(), failure.getMessage(), took.toMillis() / 1e3);
    return new Refusal(failure, took, secret);
  }

  private record Refusal(MqException failure, Duration took, String secret) {

    boolean says(String what) {
      return String.valueOf(failure.getMessage()).contains(what)
          && took.compareTo(CONNECT_BOUND.plus(MORE)) < 0;
    }

    void require(String says) {
      assertThat(failure.getMessage()).containsOnlyOnce(says);
      assertThat(String.valueOf(failure.getMessage()).lines()).hasSize(1);
      assertThat(took).isLessThan(CONNECT_BOUND.plus(MORE));
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (!secret.equals("mqproof")) { // ActiveMQ's, a word of every sentence
          assertThat(cause.toString()).doesNotContain(secret);
        }
      }
    }
  }
}
