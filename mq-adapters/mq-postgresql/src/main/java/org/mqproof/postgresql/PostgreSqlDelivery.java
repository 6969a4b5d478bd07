package org.mqproof.postgresql;

import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** A row and the claim that a receiver has on it. */
final class PostgreSqlDelivery extends ClaimedDelivery {

  private final long id;
  private final long claim;

  /**
   * A claim that was made.
   *
   * @param id of the row
   * @param claim the number that this claim has put there
   */
  PostgreSqlDelivery(AckRounds<?> owner, long id, long claim, Message message) {
    super(owner, message);
    this.id = id;
    this.claim = claim;
  }

  long id() {
    return id;
  }

  long claim() {
    return claim;
  }
}
