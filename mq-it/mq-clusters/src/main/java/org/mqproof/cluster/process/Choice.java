package org.mqproof.cluster.process;

import java.util.Arrays;
import org.mqproof.cluster.ClusterException;

/** What a system property says of how a cluster is configured. Thread-safe: no state. */
public final class Choice {

  private Choice() {}

  /**
   * The value of a system property that has one of few values.
   *
   * @param property its name
   * @param values what it can be, in any case: two or more, of which the first is the default
   * @return one of the values
   * @throws ClusterException if the property has none of them
   */
  public static String of(String property, String... values) {
    String chosen = System.getProperty(property, values[0]);
    for (String value : values) {
      if (value.equalsIgnoreCase(chosen)) {
        return value;
      }
    }
    int last = values.length - 1;
    throw new ClusterException(
        "%s must be %s or %s, was %s"
            .formatted(
                property, String.join(", ", Arrays.copyOf(values, last)), values[last], chosen));
  }
}
