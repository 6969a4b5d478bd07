package org.mqproof.cluster;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Secrets of clusters that live for minutes and listen on this machine only. Thread-safe. */
final class RandomHex {

  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomHex() {}

  /** So many random bytes, two digits each. */
  static String of(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
