package org.mqproof.ledger;

import org.junit.jupiter.api.Test;

/** Planted to break a rule of the architecture test. The ledger must not know JUnit. */
public final class PlantedInLedger {

  static final Class<?> FORBIDDEN = Test.class;

  private PlantedInLedger() {}
}
