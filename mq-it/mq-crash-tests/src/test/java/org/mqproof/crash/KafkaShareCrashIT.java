package org.mqproof.crash;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Share groups: senders are those of {@link KafkaAcksAllCrashIT}, receivers are not. */
@Tag(Tags.FULL)
class KafkaShareCrashIT extends ReceiverCrashTests {

  static final Map<String, String> MODE =
      Map.of("acks", "all", "receive", "share", "call.bound", "10s");

  KafkaShareCrashIT() {
    super("kafka", MODE);
  }

  @Override
  @Seeds.Each
  void alo07_crashLoopPutsNothingAside(long seed) {
    abort("the broker drops what was delivered as often as share.delivery.count.limit says");
  }
}
