package org.mqproof.cluster.process;

import java.util.Optional;

/** Whether a system's client is on the class path. Thread-safe: no state. */
public final class ClientClass {

  private ClientClass() {}

  /**
   * Why a client cannot be used here.
   *
   * @param name of a class that the client has
   * @param system the product's name
   * @param client the client's artifact
   * @param adapter an artifact that brings it
   * @return empty if it can be; else one sentence
   */
  public static Optional<String> whyMissing(
      String name, String system, String client, String adapter) {
    try {
      Class.forName(name, false, ClientClass.class.getClassLoader());
      return Optional.empty();
    } catch (ClassNotFoundException e) {
      return Optional.of(
          "the %s client is not on the class path: add %s, or %s, which brings it"
              .formatted(system, client, adapter));
    }
  }
}
