package org.mqproof.spi;

import org.mqproof.ledger.Ledger;

/** Planted to break a rule of the architecture test. The contract must not know the ledger. */
public final class PlantedInContract {

  static final Class<?> FORBIDDEN = Ledger.class;

  private PlantedInContract() {}
}
