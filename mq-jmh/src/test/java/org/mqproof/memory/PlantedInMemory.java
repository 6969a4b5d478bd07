package org.mqproof.memory;

import org.mqproof.ledger.Ledger;

/** Planted to break a rule of the architecture test. An adapter must not know the ledger. */
public final class PlantedInMemory {

  static final Class<?> FORBIDDEN = Ledger.class;

  private PlantedInMemory() {}
}
