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
  TOKEN,
  /** As {@link #TOKEN}, but the token has ended. */
  ENDED_TOKEN,
  /**
   * TLS and a password; a user who may send to and receive from {@link #LEAST_QUEUE}, and neither
   * make nor delete queues, where the cluster has such a user, and else as {@link #PASSWORD}.
   */
  LEAST;

  /** The user of {@link #LEAST}. */
  public static final String LEAST_USER = "least";

  /** The queue of that user. Nobody has made it. */
  public static final String LEAST_QUEUE = "least";
}
