package org.mqproof.cluster;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However the JVM that owns a cluster of brokers ends, nothing of it is left. */
abstract class OwnerDeathTests {

  abstract void nothingIsLeftAfter(String signal) throws Exception;

  @Test
  void nothingIsLeftAfterSigkill() throws Exception {
    nothingIsLeftAfter("KILL");
  }

  @Test
  @Tag("full") // the JVM closes the cluster, as each test class does
  void nothingIsLeftAfterSigterm() throws Exception {
    nothingIsLeftAfter("TERM");
  }
}
