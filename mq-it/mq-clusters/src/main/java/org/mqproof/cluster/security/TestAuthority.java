package org.mqproof.cluster.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.mqproof.cluster.ClusterException;

/**
 * A certificate authority that nobody else trusts, for a cluster that lives for minutes. Its files
 * are in one directory, keys readable by their owner only. Needs Bouncy Castle's {@code
 * bcpkix-jdk18on}, which this artifact does not bring. Not thread-safe.
 */
public final class TestAuthority {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String SIGNATURE = "SHA256withRSA"; // the one that every broker knows
  private static final Duration LIFE = Duration.ofDays(2);
  private static final String KEY_ID = "1";

  /** Who issues tokens, as these say. */
  public static final String ISSUER = "mqproof-test-authority";

  /** Whom tokens are for, as these say. */
  public static final String AUDIENCE = "mqproof-test-clusters";

  private final Path directory;
  private final KeyPair keys;
  private final X509Certificate certificate;
  private final String storePassword;

  /**
   * Somebody's certificate and key, in each of the forms that brokers and clients take.
   *
   * @param certificate the certificate, as PEM
   * @param key the private key, as PEM (PKCS#8)
   * @param both key and certificate in one PEM file
   * @param store key and certificate, as PKCS#12
   */
  public record Identity(Path certificate, Path key, Path both, Path store) {}

  private TestAuthority(
      Path directory, KeyPair keys, X509Certificate certificate, String storePassword) {
    this.directory = directory;
    this.keys = keys;
    this.certificate = certificate;
    this.storePassword = storePassword;
  }

  /**
   * Makes an authority.
   *
   * @param directory for its files, made if it is not there
   * @return an authority whose certificate is in {@link #file}
   * @throws ClusterException if a file cannot be written
   */
  public static TestAuthority make(Path directory) {
    try {
      Files.createDirectories(directory);
      KeyPair keys = rsa();
      X500Name name = new X500Name("CN=mqproof test authority " + RandomHex.of(4));
      X509Certificate certificate =
          sign(
              new JcaX509v3CertificateBuilder(
                      name, serial(), date(LIFE.negated()), date(LIFE), name, keys.getPublic())
                  .addExtension(Extension.basicConstraints, true, new BasicConstraints(true)),
              keys);
      TestAuthority made = new TestAuthority(directory, keys, certificate, RandomHex.of(16));
      Files.writeString(made.file(), pem("CERTIFICATE", certificate.getEncoded()));
      KeyStore trust = emptyStore();
      trust.setCertificateEntry("authority", certificate);
      made.write(trust, made.trustStore());
      Files.writeString(made.keySet(), made.keySetText());
      Files.write(made.publicKey(), keys.getPublic().getEncoded());
      return made;
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new ClusterException("cannot make a certificate authority in " + directory, e);
    }
  }

  /**
   * The authority's certificate, as PEM.
   *
   * @return the path of a file
   */
  public Path file() {
    return directory.resolve("authority.pem");
  }

  /**
   * The authority's certificate, as PKCS#12.
   *
   * @return the path of a file, which {@link #storePassword} opens
   */
  public Path trustStore() {
    return directory.resolve("authority.p12");
  }

  /**
   * The key that proves {@link #token tokens}, as a JSON Web Key Set (RFC 7517).
   *
   * @return the path of a file
   */
  public Path keySet() {
    return directory.resolve("authority.jwks.json");
  }

  /**
   * The same key, as Java writes it (X.509, DER).
   *
   * @return the path of a file
   */
  public Path publicKey() {
    return directory.resolve("authority.public.der");
  }

  private String keySetText() {
    RSAPublicKey own = (RSAPublicKey) keys.getPublic();
    return "{\"keys\":[{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"%s\",\"n\":\"%s\",\"e\":\"%s\"}]}"
        .formatted(
            KEY_ID, base64(unsigned(own.getModulus())), base64(unsigned(own.getPublicExponent())));
  }

  /**
   * Issues a JSON Web Token (RFC 7519) that is valid from now on.
   *
   * @param subject whom it names
   * @param life until it ends; negative for one that has ended
   * @return the token, for {@link #ISSUER} and {@link #AUDIENCE}
   */
  public String token(String subject, Duration life) {
    long now = Instant.now().getEpochSecond();
    String text =
        base64("{\"alg\":\"RS256\",\"kid\":\"%s\"}".formatted(KEY_ID).getBytes(UTF_8))
            + "."
            + base64(
                "{\"sub\":\"%s\",\"iss\":\"%s\",\"aud\":\"%s\",\"iat\":%d,\"exp\":%d}"
                    .formatted(
                        subject,
                        ISSUER,
                        AUDIENCE,
                        Math.min(now, now + life.toSeconds() - 1),
                        now + life.toSeconds())
                    .getBytes(UTF_8));
    try {
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initSign(keys.getPrivate());
      signature.update(text.getBytes(UTF_8));
      return text + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new ClusterException("cannot issue a token for " + subject, e);
    }
  }

  private static byte[] unsigned(BigInteger number) {
    byte[] bytes = number.toByteArray();
    return bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Opens all key stores.
   *
   * @return a random password
   */
  public String storePassword() {
    return storePassword;
  }

  /**
   * Issues a certificate that is valid now, for about two days.
   *
   * @param name its common name, also of its files
   * @param addresses IP addresses that it is for, or {@code localhost}; none for a client
   * @return the certificate and its key
   */
  public Identity issue(String name, List<String> addresses) {
    return issue(name, addresses, LIFE);
  }

  /**
   * Issues a certificate that began two days before its end, or an hour ago.
   *
   * @param name its common name, also of its files
   * @param addresses IP addresses that it is for, or {@code localhost}; none for a client
   * @param life from now until it ends; negative for one that has ended
   * @return the certificate and its key
   */
  public Identity issue(String name, List<String> addresses, Duration life) {
    try {
      boolean client = addresses.isEmpty();
      // Both kinds are met in the world. A node of a test signs with each connection, in a JVM
      // whose
      // compiler makes RSA's signature several times as dear as that of a curve.
      KeyPair own = client ? rsa() : curve();
      // MongoDB takes whoever is of a node's organisational unit for a node.
      String unit = client ? "clients" : "nodes";
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              certificate,
              serial(),
              date(life.minus(LIFE)),
              date(life),
              new X500Name("OU=%s,CN=%s".formatted(unit, name)),
              own.getPublic());
      if (!client) {
        builder.addExtension(
            Extension.subjectAlternativeName,
            false,
            new GeneralNames(
                addresses.stream().map(TestAuthority::name).toArray(GeneralName[]::new)));
      }
      X509Certificate issued = sign(builder, keys);
      Identity identity =
          new Identity(
              directory.resolve(name + ".pem"),
              directory.resolve(name + ".key"),
              directory.resolve(name + ".both.pem"),
              directory.resolve(name + ".p12"));
      String key = pem("PRIVATE KEY", own.getPrivate().getEncoded());
      String chain = pem("CERTIFICATE", issued.getEncoded());
      Files.writeString(identity.certificate(), chain);
      Files.writeString(secret(identity.key()), key);
      Files.writeString(secret(identity.both()), key + chain);
      KeyStore store = emptyStore();
      store.setKeyEntry(
          name,
          own.getPrivate(),
          storePassword.toCharArray(),
          new Certificate[] {issued, certificate});
      write(store, identity.store());
      return identity;
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new ClusterException("cannot issue a certificate for " + name, e);
    }
  }

  private static GeneralName name(String address) {
    return new GeneralName(
        address.equals("localhost") ? GeneralName.dNSName : GeneralName.iPAddress, address);
  }

  private static X509Certificate sign(
      org.bouncycastle.cert.X509v3CertificateBuilder builder, KeyPair signer)
      throws GeneralSecurityException, OperatorCreationException {
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder(SIGNATURE).build(signer.getPrivate())));
  }

  private static KeyPair rsa() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  private static KeyPair curve() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static BigInteger serial() {
    return new BigInteger(120, RANDOM);
  }

  private static Date date(Duration fromNow) {
    return Date.from(Instant.now().plus(fromNow));
  }

  private static String pem(String label, byte[] content) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(label, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content));
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private void write(KeyStore store, Path file) throws IOException, GeneralSecurityException {
    try (var out = Files.newOutputStream(secret(file))) {
      store.store(out, storePassword.toCharArray());
    }
  }

  /** Makes an empty file that nobody else can read. */
  private static Path secret(Path file) throws IOException {
    return Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }
}
