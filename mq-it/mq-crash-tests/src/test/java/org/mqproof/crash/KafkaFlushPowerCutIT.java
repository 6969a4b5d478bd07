package org.mqproof.crash;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.Cluster;

/** Each node awaits its disk before it answers, for the messages of this queue alone. */
@Tag(Tags.FULL)
class KafkaFlushPowerCutIT extends PowerCutTests {

  KafkaFlushPowerCutIT() {
    super("kafka", KafkaAcksAllCrashIT.MODE, true);
  }

  @Override
  protected String column() {
    return "kafka flush.messages=1";
  }

  @BeforeEach
  void flushEachMessage() throws Exception {
    set(cluster(), queue, "flush.messages", "1");
  }

  /** Sets what a topic can be told and the adapter does not tell it. */
  static void set(Cluster cluster, String topic, String name, String value) throws Exception {
    String servers = Objects.requireNonNull(cluster.settings().get("bootstrap.servers"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, topic),
                  List.of(
                      new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }
}
