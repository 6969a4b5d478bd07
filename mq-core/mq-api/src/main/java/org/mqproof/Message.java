package org.mqproof;

import java.util.Objects;

/**
 * A message: a body of bytes, held and not copied. Compared by identity. Immutable but for what its
 * owner does to the body.
 */
public final class Message {

  private final byte[] body;

  /**
   * Holds a body without copying it.
   *
   * @param body 0 to {@link Traits#largestBodyBytes()} bytes
   */
  public Message(byte[] body) {
    this.body = Objects.requireNonNull(body, "body");
  }

  /**
   * The body itself, not a copy. Who sends must not change it until the send has ended; who
   * receives owns it.
   *
   * @return the bytes given to the constructor
   */
  public byte[] body() {
    return body;
  }

  @Override
  public String toString() {
    return "Message[" + body.length + " bytes]";
  }
}
