package com.example;

import java.util.Map;
import org.mqproof.crash.CrashTests;

/** The fault matrix, carried by a third party's adapter. */
class CrcCrashTest extends CrashTests {

  CrcCrashTest() {
    super(CrcOnKafka.NAME, Map.of("session.timeout.ms", "3000", "call.bound", "10s"));
  }
}
