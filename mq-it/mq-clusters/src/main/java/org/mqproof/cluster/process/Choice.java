package org.mqproof.cluster.process;

import java.util.List;
import org.mqproof.cluster.ClusterException;

/**
 * A system property by which the user chooses how a cluster is configured. Immutable.
 *
 * @param property its name
 * @param values what it can be, in any case; the first one is the default
 */
public record Choice(String property, List<String> values) {

  /**
   * Keeps a copy of the values.
   *
   * @param property its name
   * @param values two or more
   */
  public Choice {
    values = List.copyOf(values);
  }

  /**
   * A choice between values.
   *
   * @param property the name of the system property
   * @param values two or more; the first one is the default
   * @return the choice
   */
  public static Choice of(String property, String... values) {
    return new Choice(property, List.of(values));
  }

  /**
   * What was chosen.
   *
   * @return one of the values
   * @throws ClusterException if the property has none of them
   */
  public String get() {
    String chosen = System.getProperty(property, values.get(0));
    return values.stream()
        .filter(value -> value.equalsIgnoreCase(chosen))
        .findFirst()
        .orElseThrow(
            () ->
                new ClusterException(
                    "%s must be %s or %s, was %s"
                        .formatted(
                            property,
                            String.join(", ", values.subList(0, values.size() - 1)),
                            values.get(values.size() - 1),
                            chosen)));
  }
}
