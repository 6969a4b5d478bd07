package org.mqproof.crash;

class ActiveMqCrashIT extends ActiveMqCrashTests {

  ActiveMqCrashIT() {
    super(TRANSACTED);
  }
}
