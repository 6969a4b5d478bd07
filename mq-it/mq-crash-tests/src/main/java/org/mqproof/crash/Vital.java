package org.mqproof.crash;

/**
 * What must stay flat in a long run, and what may come on top of it between the second third of the
 * run and the last one. The bounds are conventions: a share for what breathes with the load, and an
 * amount that a leak passes within an hour.
 */
enum Vital {
  /** Objects that are alive after a collection. */
  CLIENT_HEAP("heap of the client after a collection, KiB", 0.10, 4 << 10),
  /** All threads of this JVM. */
  CLIENT_THREADS("threads of the client", 0, 3),
  /** Open sockets of this process. */
  CLIENT_SOCKETS("sockets of the client", 0, 3),
  /** Other open files of this process. */
  CLIENT_FILES("open files of the client", 0, 3),
  /** Objects alive after a collection in nodes that are JVMs, resident memory of all others. */
  BROKER_MEMORY("memory of the nodes, KiB", 0.15, 32 << 10),
  /** All threads of all nodes. */
  BROKER_THREADS("threads of the nodes", 0.10, 8),
  /** Open sockets of all nodes. */
  BROKER_SOCKETS("sockets of the nodes", 0.10, 8),
  /** Blocks of all files of all nodes, logs of the brokers included. */
  BROKER_DISK("disk of the nodes, KiB", 0.15, 32 << 10);

  private final String words;
  private final double share;
  private final long amount;

  Vital(String words, double share, long amount) {
    this.words = words;
    this.share = share;
    this.amount = amount;
  }

  String words() {
    return words;
  }

  /** The most that is still flat, where it was {@code before}. */
  double most(double before) {
    return before * (1 + share) + amount;
  }
}
