package org.mqproof.jms;

import org.mqproof.artemis.ArtemisMqProvider;

/** Planted to break a rule of the architecture test. What adapters share must know none of them. */
public final class PlantedInJms {

  static final Class<?> FORBIDDEN = ArtemisMqProvider.class;

  private PlantedInJms() {}
}
