package org.mqproof.cluster.process;

import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Facility;

/** A facility that nodes get which are child processes. Thread-safe. */
public interface NodeFacility extends Facility {

  /**
   * Gives it to the home of a cluster, before the first node is added.
   *
   * @param home gets {@link Links} or {@link Disks}
   * @param nodes how many there will be
   * @throws ClusterException if it could not be made; the home must be closed then
   */
  void addTo(ClusterHome home, int nodes);

  /**
   * Finds one on the class path.
   *
   * @param property the system property that asks for it
   * @return the facility
   * @throws ClusterException if there is none
   */
  static NodeFacility of(String property) {
    return Facility.all().stream()
        .filter(NodeFacility.class::isInstance)
        .map(NodeFacility.class::cast)
        .filter(facility -> facility.property().equals(property))
        .findFirst()
        .orElseThrow(
            () ->
                new ClusterException(
                    "nothing on the class path does what -D%s asks for".formatted(property)));
  }
}
