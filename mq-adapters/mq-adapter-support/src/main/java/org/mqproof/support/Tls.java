package org.mqproof.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * TLS, as every adapter has it: its settings, and what the files hold that they name. The files are
 * read once, when an {@code Mq} connects. Immutable.
 *
 * <p>A file is PEM, or a key store of the kinds that the JVM knows (PKCS#12, JKS); which of them,
 * is seen from what is in it.
 */
public final class Tls {

  /** Whether there is TLS. */
  public static final Setting<Boolean> TLS =
      Setting.bool(
          "tls",
          false,
          "Whether connections are encrypted; the broker's certificate is then checked, and its"
              + " name.");

  /** Who is trusted. */
  public static final Setting<String> CA_FILE =
      path("tls.ca.file", "Certificates of the authorities that are trusted; empty for the JVM's.");

  /** Opens a key store of authorities. */
  public static final Setting<String> CA_PASSWORD =
      Setting.secret("tls.ca.password", "", "The password of tls.ca.file, if that is a key store.");

  /** Who this client is. */
  public static final Setting<String> CERT_FILE =
      path(
          "tls.cert.file",
          "This client's certificate and those that lead to its authority, or a key store with"
              + " them and the key; empty for none.");

  /** This client's key. */
  public static final Setting<String> KEY_FILE =
      path(
          "tls.key.file",
          "The private key of tls.cert.file as PEM (PKCS#8, encrypted or not); empty if it is in"
              + " tls.cert.file.");

  /** Opens this client's key. */
  public static final Setting<String> KEY_PASSWORD =
      Setting.secret("tls.key.password", "", "The password of the private key, or its key store.");

  /** Whether names are checked. */
  public static final Setting<Boolean> CHECK_HOST =
      Setting.bool(
          "tls.check.host",
          true,
          "Whether the broker's certificate must be for the host that was connected to; without,"
              + " whoever has any certificate of the authority can pretend to be the broker.");

  private static final List<Setting<?>> ALL =
      List.of(TLS, CA_FILE, CA_PASSWORD, CERT_FILE, KEY_FILE, KEY_PASSWORD, CHECK_HOST);

  private static final long LARGEST_FILE_BYTES = 4 << 20;
  private static final String CERTIFICATE = "CERTIFICATE";

  private final List<X509Certificate> authorities;
  private final @Nullable Identity identity;
  private final boolean checksHost;
  private final TrustManager[] trustManagers;
  private final KeyManager[] keyManagers;
  private final SSLContext context;

  /** Who this client is: a chain, its own certificate first. */
  private record Identity(PrivateKey key, List<X509Certificate> chain) {}

  private interface Reading<T> {
    T read(byte[] file) throws IOException, GeneralSecurityException;
  }

  private Tls(List<X509Certificate> authorities, @Nullable Identity identity, boolean checksHost) {
    this.authorities = authorities;
    this.identity = identity;
    this.checksHost = checksHost;
    try {
      trustManagers = trust(authorities);
      keyManagers = identity == null ? new KeyManager[0] : keys(identity);
      context = SSLContext.getInstance("TLS");
      context.init(keyManagers, trustManagers, null);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("TLS cannot be used as the settings have it: " + e, e);
    }
  }

  private static Setting<String> path(String key, String description) {
    return Setting.pattern(
        key, "", Pattern.compile("|\\S|\\S.*\\S"), "the path of a file", description);
  }

  /**
   * An adapter's settings with those of TLS.
   *
   * @param own the adapter's
   * @return both, as documentation lists them
   */
  public static List<Setting<?>> with(List<Setting<?>> own) {
    return Stream.concat(own.stream(), ALL.stream()).toList();
  }

  /**
   * Reads the files that the settings name.
   *
   * @param system the name with which errors begin
   * @param settings the values
   * @return empty without TLS
   * @throws IllegalArgumentException if a file cannot be used, or one is named without TLS; one
   *     sentence says which setting and why
   */
  public static Optional<Tls> of(String system, Settings settings) {
    if (!settings.get(TLS)) {
      for (Setting<?> setting : ALL) {
        if (!settings.get(setting).toString().equals(setting.defaultText())) {
          throw new IllegalArgumentException(
              "%s: setting %s is of no use without tls=true".formatted(system, setting.key()));
        }
      }
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Tls(authorities(settings), identity(settings), settings.get(CHECK_HOST)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(system + ": " + e.getMessage(), e);
    }
  }

  private static List<X509Certificate> authorities(Settings settings) {
    String password = settings.get(CA_PASSWORD);
    return settings.get(CA_FILE).isEmpty()
        ? List.of()
        : read(
            CA_FILE,
            settings,
            file ->
                Pem.is(text(file))
                    ? Pem.certificates(text(file))
                    : trusted(keyStore(file, password)));
  }

  private static @Nullable Identity identity(Settings settings) {
    boolean ownKeyFile = !settings.get(KEY_FILE).isEmpty();
    if (settings.get(CERT_FILE).isEmpty()) {
      if (ownKeyFile) {
        throw new IllegalArgumentException(
            "setting tls.key.file is of no use without tls.cert.file");
      }
      return null;
    }
    char[] password = settings.get(KEY_PASSWORD).toCharArray();
    PrivateKey ownKey =
        ownKeyFile ? read(KEY_FILE, settings, file -> Pem.key(text(file), password)) : null;
    return read(
        CERT_FILE,
        settings,
        file -> {
          Identity found =
              Pem.is(text(file))
                  ? new Identity(
                      ownKey == null ? Pem.key(text(file), password) : ownKey,
                      Pem.certificates(text(file)))
                  : identity(keyStore(file, settings.get(KEY_PASSWORD)), password);
          X509Certificate own = found.chain().get(0);
          try {
            own.checkValidity();
          } catch (CertificateExpiredException e) {
            throw new GeneralSecurityException("its certificate ended on " + own.getNotAfter(), e);
          } catch (CertificateNotYetValidException e) {
            throw new GeneralSecurityException(
                "its certificate begins on " + own.getNotBefore(), e);
          }
          return found;
        });
  }

  private static <T> T read(Setting<String> setting, Settings settings, Reading<T> reading) {
    String name = settings.get(setting);
    try {
      Path path = Path.of(name);
      if (Files.size(path) > LARGEST_FILE_BYTES) {
        throw new IOException("larger than " + LARGEST_FILE_BYTES + " bytes");
      }
      return reading.read(Files.readAllBytes(path));
    } catch (IOException | InvalidPathException e) {
      throw unusable(setting, name, "it cannot be read: " + e.getClass().getSimpleName(), e);
    } catch (GeneralSecurityException e) {
      throw unusable(setting, name, String.valueOf(e.getMessage()), e);
    }
  }

  private static IllegalArgumentException unusable(
      Setting<String> setting, String name, String reason, Exception cause) {
    return new IllegalArgumentException(
        "setting %s cannot be '%s': %s".formatted(setting.key(), name, reason), cause);
  }

  /** Every byte is a character, so that what is no text is none of PEM either. */
  private static String text(byte[] file) {
    return new String(file, ISO_8859_1);
  }

  private static KeyStore keyStore(byte[] file, String password) throws GeneralSecurityException {
    for (String type : List.of("PKCS12", "JKS")) { // the JVM's PKCS12 reads JKS as well, and back
      try {
        KeyStore store = KeyStore.getInstance(type);
        store.load(
            new ByteArrayInputStream(file), password.isEmpty() ? null : password.toCharArray());
        return store;
      } catch (IOException e) {
        if (e.getCause() instanceof GeneralSecurityException) {
          throw new GeneralSecurityException("its password is another one", e);
        }
      }
    }
    throw new GeneralSecurityException("it is neither PEM nor a key store (PKCS#12 or JKS)");
  }

  private static List<X509Certificate> trusted(KeyStore store) throws GeneralSecurityException {
    List<X509Certificate> found = new ArrayList<>();
    for (String alias : Collections.list(store.aliases())) {
      if (store.getCertificate(alias) instanceof X509Certificate certificate) {
        found.add(certificate);
      }
    }
    if (found.isEmpty()) {
      throw new GeneralSecurityException(
          "no certificate is in it, or none is to be had without its password");
    }
    return found;
  }

  private static Identity identity(KeyStore store, char[] password)
      throws GeneralSecurityException {
    for (String alias : Collections.list(store.aliases())) {
      Key key = store.getKey(alias, password);
      Certificate[] chain = store.getCertificateChain(alias);
      if (key instanceof PrivateKey own && chain != null) {
        return new Identity(own, Arrays.stream(chain).map(X509Certificate.class::cast).toList());
      }
    }
    throw new GeneralSecurityException("no private key with its certificate is in it");
  }

  private static TrustManager[] trust(List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    if (authorities.isEmpty()) {
      factory.init((KeyStore) null); // the JVM's own
    } else {
      KeyStore store = emptyStore();
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry("authority-" + i, authorities.get(i));
      }
      factory.init(store);
    }
    return factory.getTrustManagers();
  }

  private static KeyManager[] keys(Identity identity) throws GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    char[] inMemoryOnly = new char[0];
    store.setKeyEntry(
        "client", identity.key(), inMemoryOnly, identity.chain().toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, inMemoryOnly);
    return factory.getKeyManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  /**
   * For clients that take the JVM's own type.
   *
   * @return a context with this trust and this client's certificate; the host is not checked by it
   */
  public SSLContext context() {
    return context;
  }

  /**
   * For clients that make their own context.
   *
   * @return this client's certificate, or nothing
   */
  public KeyManager[] keyManagers() {
    return keyManagers.clone();
  }

  /**
   * For clients that make their own context.
   *
   * @return whom to trust
   */
  public TrustManager[] trustManagers() {
    return trustManagers.clone();
  }

  /**
   * Encrypts over a connected socket, for clients that take any socket.
   *
   * @param plain what carries it; closed with the result
   * @param host the host that it is connected to, whose name the certificate must have if {@link
   *     #checksHost} says so
   * @param port the port that it is connected to
   * @return a socket that has yet to shake hands
   * @throws IOException if the plain socket is not connected
   */
  public SSLSocket over(Socket plain, String host, int port) throws IOException {
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
    if (checksHost) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
    }
    return socket;
  }

  /**
   * Whether the client must check that the certificate is for the host that it connected to.
   *
   * @return the setting's value
   */
  public boolean checksHost() {
    return checksHost;
  }

  /**
   * Whether this client has a certificate.
   *
   * @return true if {@code tls.cert.file} is given
   */
  public boolean hasCertificate() {
    return identity != null;
  }

  /**
   * For clients that take text.
   *
   * @return the trusted authorities as PEM; empty for the JVM's
   */
  public Optional<String> authoritiesPem() {
    return authorities.isEmpty() ? Optional.empty() : Optional.of(pem(authorities));
  }

  /**
   * For clients that take text.
   *
   * @return this client's certificate and those that lead to its authority as PEM
   */
  public Optional<String> certificatePem() {
    return Optional.ofNullable(identity).map(Identity::chain).map(Tls::pem);
  }

  /**
   * For clients that take text: a secret, for their memory only.
   *
   * @return this client's key as PEM, not encrypted
   */
  public Optional<String> keyPem() {
    return Optional.ofNullable(identity)
        .map(own -> Pem.text("PRIVATE KEY", own.key().getEncoded()));
  }

  private static String pem(List<X509Certificate> certificates) {
    return certificates.stream().map(Tls::pem).collect(Collectors.joining());
  }

  private static String pem(X509Certificate certificate) {
    try {
      return Pem.text(CERTIFICATE, certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("a certificate that was read cannot be written", e);
    }
  }
}
