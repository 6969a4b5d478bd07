package org.mqproof.cluster.process;

import org.mqproof.cluster.network.NetworkFacility;

/** Planted to break rules of the packages' test. A concern must not know what is above it. */
public final class PlantedInProcess {

  static final Class<?> FORBIDDEN = NetworkFacility.class;

  private PlantedInProcess() {}
}
