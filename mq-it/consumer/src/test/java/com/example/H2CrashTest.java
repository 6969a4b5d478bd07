package com.example;

import java.util.Map;
import org.mqproof.crash.CrashTests;

/** The fault matrix, carried by an adapter that is built on MqProof's support classes. */
class H2CrashTest extends CrashTests {

  H2CrashTest() {
    super("h2", Map.of("claim.period", "3s", "call.bound", "12s"));
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return false; // it is the only node
  }
}
