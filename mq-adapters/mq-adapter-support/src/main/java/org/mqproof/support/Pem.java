package org.mqproof.support;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads and writes certificates and keys as PEM (RFC 7468). Thread-safe: no state. */
final class Pem {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");
  private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private Pem() {}

  /** Whether a file looks like one. */
  static boolean is(String text) {
    return BLOCK.matcher(text).find();
  }

  /** All certificates of a file, in its order; what else is in it is left out. */
  static List<X509Certificate> certificates(String text) throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> found = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      if (block.group(1).endsWith("CERTIFICATE")) {
        found.add(
            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes(block))));
      }
    }
    if (found.isEmpty()) {
      throw new GeneralSecurityException("no certificate is in it");
    }
    return found;
  }

  /**
   * The first private key of a file.
   *
   * @param password of an encrypted key; ignored otherwise
   */
  static PrivateKey key(String text, char[] password) throws GeneralSecurityException {
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      switch (block.group(1)) {
        case "PRIVATE KEY" -> {
          return key(new PKCS8EncodedKeySpec(bytes(block)));
        }
        case "ENCRYPTED PRIVATE KEY" -> {
          return key(decrypted(bytes(block), password));
        }
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
            throw new GeneralSecurityException(
                "the key in it has an old form, which 'openssl pkcs8 -topk8 -in FILE' makes new");
        default -> {} // a certificate, or parameters of a key
      }
    }
    throw new GeneralSecurityException("no private key is in it");
  }

  private static PrivateKey key(PKCS8EncodedKeySpec spec) throws GeneralSecurityException {
    // The form does not say which it is; only a key of the right algorithm fits.
    InvalidKeySpecException last = null;
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        last = e;
      }
    }
    throw new GeneralSecurityException("the key in it is none of " + KEY_ALGORITHMS, last);
  }

  private static PKCS8EncodedKeySpec decrypted(byte[] encrypted, char[] password)
      throws GeneralSecurityException {
    if (password.length == 0) {
      throw new GeneralSecurityException("the key in it is encrypted, and no password is given");
    }
    try {
      EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
      // PBES2, what all but old tools write, has the names of its two algorithms there.
      String algorithm =
          info.getAlgParameters() == null ? info.getAlgName() : info.getAlgParameters().toString();
      if (!algorithm.startsWith("PBE")) {
        algorithm = info.getAlgName();
      }
      SecretKey secret =
          SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password));
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
      return info.getKeySpec(cipher);
    } catch (InvalidKeySpecException e) {
      throw new GeneralSecurityException("the key in it is not to be had with this password", e);
    } catch (IOException e) {
      throw new GeneralSecurityException("the key in it cannot be read", e);
    }
  }

  private static byte[] bytes(Matcher block) throws GeneralSecurityException {
    try {
      return Base64.getMimeDecoder().decode(block.group(2));
    } catch (IllegalArgumentException e) {
      throw new GeneralSecurityException("what is in it is not Base64", e);
    }
  }

  /** One block. */
  static String text(String label, byte[] content) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(label, BASE64.encodeToString(content));
  }
}
