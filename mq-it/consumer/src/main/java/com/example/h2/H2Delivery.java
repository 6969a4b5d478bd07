package com.example.h2;

import java.util.OptionalInt;
import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** A row and one claim on it. Claims of a row are numbered from 1. */
final class H2Delivery extends ClaimedDelivery {

  final long id;
  final int claim;

  H2Delivery(AckRounds<?> owner, long id, int claim, Message message) {
    super(owner, message);
    this.id = id;
    this.claim = claim;
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of(claim);
  }
}
