package org.mqproof.cluster.security;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;

/**
 * The certificates and the password of a cluster that encrypts and asks its clients who they are.
 * Thread-safe: nothing changes after it was made.
 */
public final class Security {

  /** Whom the password and the client's certificate name. */
  public static final String USER = "mqproof";

  private static final String CERTIFICATES = "org.bouncycastle.cert.X509v3CertificateBuilder";

  private final TestAuthority authority;
  private final TestAuthority.Identity node;
  private final TestAuthority.Identity client;
  private final String password = RandomHex.of(16);

  private Security(Path directory, List<String> hosts) {
    authority = TestAuthority.make(directory);
    // By address only, so that another name for the same host is a wrong one.
    node = authority.issue("node", hosts);
    client = authority.issue(USER, List.of());
  }

  /**
   * Makes certificates and a password.
   *
   * @param directory for the files, made if it is not there
   * @param hosts the IP addresses of the nodes
   * @return what nodes and clients need
   * @throws ClusterException if a file cannot be written, or Bouncy Castle is not there
   */
  public static Security make(Path directory, List<String> hosts) {
    try {
      Class<?> unused = Class.forName(CERTIFICATES);
    } catch (ClassNotFoundException e) {
      throw new ClusterException(
          "a cluster with TLS needs org.bouncycastle:bcpkix-jdk18on on the class path", e);
    }
    return new Security(directory, hosts);
  }

  /**
   * Whether {@value ClusterProvider#SECURITY_PROPERTY} asks for it.
   *
   * @return false unless it does
   * @throws ClusterException if its value is none that there is
   */
  public static boolean isAskedFor() {
    String asked = System.getProperty(ClusterProvider.SECURITY_PROPERTY, ClusterProvider.NONE);
    return switch (asked) {
      case ClusterProvider.NONE -> false;
      case ClusterProvider.TLS -> true;
      default ->
          throw new ClusterException(
              "%s must be %s or %s, was %s"
                  .formatted(
                      ClusterProvider.SECURITY_PROPERTY,
                      ClusterProvider.NONE,
                      ClusterProvider.TLS,
                      asked));
    };
  }

  /**
   * Who signed the certificates.
   *
   * @return an authority that nobody else trusts
   */
  public TestAuthority authority() {
    return authority;
  }

  /**
   * The certificate of every node: they run on one machine.
   *
   * @return its files
   */
  public TestAuthority.Identity node() {
    return node;
  }

  /**
   * The password of {@link #USER}.
   *
   * @return random digits
   */
  public String password() {
    return password;
  }

  /**
   * A client's settings.
   *
   * @param access how it gets in
   * @param plain those without TLS
   * @param changed those that are others with it
   * @return all that it needs
   */
  public Map<String, String> settings(
      Access access, Map<String, String> plain, Map<String, String> changed) {
    Map<String, String> settings = new HashMap<>(plain);
    if (access == Access.PLAIN) {
      return settings;
    }
    settings.putAll(changed);
    settings.put("tls", "true");
    settings.put("tls.ca.file", authority.file().toString());
    if (access == Access.CERTIFICATE) {
      settings.put("tls.cert.file", client.certificate().toString());
      settings.put("tls.key.file", client.key().toString());
    }
    return settings;
  }
}
