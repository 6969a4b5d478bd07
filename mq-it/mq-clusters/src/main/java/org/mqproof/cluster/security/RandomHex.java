package org.mqproof.cluster.security;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Secrets of clusters that live for minutes and listen on this machine only. Thread-safe. */
public final class RandomHex {

  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomHex() {}

  /**
   * Random bytes, two digits each.
   *
   * @param bytes how many
   * @return twice as many digits
   */
  public static String of(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
