package org.mqproof.conformance.clusters;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.mqclient.DoNothingClientRemotingProcessor;
import org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** Three brokers, of which all that are in sync confirm, two at least. */
@Tag("full")
class RocketMqConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("rocketmq");

  /** For a broker's answer. */
  private static final long MILLIS = 10_000;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  /** The brokers take some seconds to notice that a claim was released. */
  @Nested
  @DisplayName("RocketMQ, the leader's disk confirms too")
  class Sync extends ClusterConformance {
    Sync() {
      super(CLUSTER, Map.of("claim.period", "20s"));
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "allAckInSyncStateSet=false",
          queue -> with("allAckInSyncStateSet", "false", "true"),
          "cleanFileForciblyEnable=true",
          queue -> with("cleanFileForciblyEnable", "true", "false"),
          "minInSyncReplicas=1",
          queue -> with("minInSyncReplicas", "1", "2"));
    }
  }

  /** Sets a setting of each broker, and back. */
  private static AutoCloseable with(String setting, String value, String usual) throws Exception {
    configure(setting, value);
    return () -> configure(setting, usual);
  }

  private static void configure(String setting, String value) throws Exception {
    Properties properties = new Properties();
    properties.setProperty(setting, value);
    ClientConfig config = new ClientConfig();
    config.setVipChannelEnabled(false);
    MQClientAPIExt client =
        new MQClientAPIExt(
            config, new NettyClientConfig(), new DoNothingClientRemotingProcessor(null), null);
    client.start();
    try {
      client.updateNameServerAddressList(
          WaysIn.setting(CLUSTER.settings(Access.PLAIN), "name.servers").replace(',', ';'));
      for (BrokerData brokers : client.getBrokerClusterInfo(MILLIS).getBrokerAddrTable().values()) {
        for (String broker : brokers.getBrokerAddrs().values()) {
          client.updateBrokerConfig(broker, properties, MILLIS);
        }
      }
    } finally {
      client.shutdown();
    }
  }
}
