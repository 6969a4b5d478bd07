package org.mqproof.crash;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.sqs.ElasticMqClusterProvider;

/** ElasticMQ's database writes some time after a confirm: declared not to survive. */
@Tag(Tags.FULL)
class SqsDelayedPowerCutIT extends PowerCutTests {

  SqsDelayedPowerCutIT() {
    super(
        "sqs",
        Map.of(ElasticMqClusterProvider.STORAGE_PROPERTY, "delayed"),
        SqsCrashIT.MODE,
        false);
  }

  @Override
  protected String column() {
    return "sqs default WRITE_DELAY";
  }

  /** Four times what the database has by default. */
  @Override
  protected Duration writeDelay() {
    return Duration.ofSeconds(2);
  }
}
