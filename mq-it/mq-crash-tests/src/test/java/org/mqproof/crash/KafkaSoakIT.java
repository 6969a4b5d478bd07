package org.mqproof.crash;

import org.junit.jupiter.api.BeforeEach;

/** Replicated in sync. */
class KafkaSoakIT extends SoakTests {

  KafkaSoakIT() {
    super("kafka", KafkaAcksAllCrashIT.MODE);
  }

  /**
   * Records that are acked are deleted, and leave the disk with the segment of the log that they
   * are in: of a gigabyte, which no soak fills.
   */
  @BeforeEach
  void smallSegments() throws Exception {
    KafkaFlushPowerCutIT.set(cluster(), queue, "segment.bytes", Integer.toString(1 << 20));
    KafkaFlushPowerCutIT.set(cluster(), queue, "file.delete.delay.ms", "1000");
  }
}
