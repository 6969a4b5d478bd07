package org.mqproof.crash;

class MongoMajorityNetworkCrashIT extends ReplicatedNetworkCrashTests {

  MongoMajorityNetworkCrashIT() {
    super("mongodb", MongoMajorityPowerCutIT.MODE);
  }
}
