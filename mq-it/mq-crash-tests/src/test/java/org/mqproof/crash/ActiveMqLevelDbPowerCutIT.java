package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/**
 * The page caches of two of three nodes confirm: declared not to survive. ZooKeeper keeps its
 * power.
 */
@Tag(Tags.FULL)
class ActiveMqLevelDbPowerCutIT extends PowerCutTests {

  ActiveMqLevelDbPowerCutIT() {
    super("activemq", ActiveMqLevelDbCrashIT.STORE, ActiveMqLevelDbCrashIT.MODE, false);
  }

  @Override
  protected String column() {
    return "activemq LevelDB";
  }
}
