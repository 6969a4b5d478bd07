package org.mqproof.valkey;

import java.util.OptionalInt;
import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** An entry of a stream that is pending for a receiver. */
final class ValkeyDelivery extends ClaimedDelivery {

  private final String id;
  private final long count;

  /**
   * A claim that was made.
   *
   * @param id of the entry
   * @param count how often it was delivered, with this time: what tells this claim from others
   */
  ValkeyDelivery(AckRounds<?> owner, String id, long count, Message message) {
    super(owner, message);
    this.id = id;
    this.count = count;
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of((int) Math.min(Integer.MAX_VALUE, count));
  }

  String id() {
    return id;
  }

  long count() {
    return count;
  }
}
