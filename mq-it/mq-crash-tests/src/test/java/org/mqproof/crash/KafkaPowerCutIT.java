package org.mqproof.crash;

/** With its defaults Kafka awaits replicas and no disk: declared not to survive. */
class KafkaPowerCutIT extends PowerCutTests {

  KafkaPowerCutIT() {
    super("kafka", KafkaAcksAllCrashIT.MODE, false);
  }
}
