package org.mqproof.cluster;

/** How a client gets in to a cluster. */
public enum Access {
  /** Without encryption; a name and a password where the system asks for them at any rate. */
  PLAIN,
  /** TLS; the client gives a name and a password. */
  PASSWORD,
  /**
   * TLS; the client gives a certificate, which is also its name where the system takes it for one.
   */
  CERTIFICATE,
  /** TLS; the client gives a token where the system takes one, and else as {@link #PASSWORD}. */
  TOKEN
}
