package org.mqproof.cluster.rocketmq;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.PopResult;
import org.apache.rocketmq.client.consumer.PopStatus;
import org.apache.rocketmq.client.impl.mqclient.DoNothingClientRemotingProcessor;
import org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.constant.ConsumeInitMode;
import org.apache.rocketmq.common.filter.ExpressionType;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.body.BrokerReplicasInfo;
import org.apache.rocketmq.remoting.protocol.body.ClusterInfo;
import org.apache.rocketmq.remoting.protocol.header.PopMessageRequestHeader;
import org.apache.rocketmq.remoting.protocol.header.SendMessageRequestHeader;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.mqproof.cluster.process.ClusterHome;

/**
 * Asks a RocketMQ cluster how it is, with new connections each time so that no answer is an old
 * one. Thread-safe: no state but the addresses. A call ends within 20 s.
 */
final class RocketMqProbe {

  private static final String TOPIC = "mqproof-ready";
  private static final long MILLIS = 2_000;
  private static final long HIDDEN_MILLIS = 30_000;
  private static final String LOG_SETTINGS = "rmq.logback.configurationFile";

  static {
    if (System.getProperty(LOG_SETTINGS) == null) { // else it would write into the home directory
      System.setProperty(LOG_SETTINGS, "mqproof.cluster.rmq.logback.xml");
    }
  }

  private final ClusterHome home;

  RocketMqProbe(ClusterHome home) {
    this.home = home;
  }

  private interface Question<T> {
    T ask(MQClientAPIExt client) throws Exception;
  }

  private static <T> T ask(Question<T> question) throws Exception {
    ClientConfig config = new ClientConfig();
    config.setVipChannelEnabled(false);
    NettyClientConfig netty = new NettyClientConfig();
    netty.setConnectTimeoutMillis((int) MILLIS);
    MQClientAPIExt client =
        new MQClientAPIExt(config, netty, new DoNothingClientRemotingProcessor(null), null);
    client.start();
    try {
      return question.ask(client);
    } finally {
      client.shutdown();
    }
  }

  private static byte[] ask(MQClientAPIExt client, String address, int code, byte[] body)
      throws Exception {
    RemotingCommand request = RemotingCommand.createRequestCommand(code, null);
    request.setBody(body);
    RemotingCommand answer = client.getRemotingClient().invokeSync(address, request, MILLIS);
    if (answer.getCode() != ResponseCode.SUCCESS || answer.getBody() == null) {
      throw new IllegalStateException(
          "%s says %d, %s".formatted(address, answer.getCode(), answer.getRemark()));
    }
    return answer.getBody();
  }

  /** The brokers that a name server knows: the leader has the id 0. */
  private Map<Long, String> brokers(MQClientAPIExt client, int node) throws Exception {
    ClusterInfo cluster =
        ClusterInfo.decode(
            ask(
                client,
                RocketMqNodes.nameServer(home, node),
                RequestCode.GET_BROKER_CLUSTER_INFO,
                new byte[0]),
            ClusterInfo.class);
    BrokerData data =
        cluster.getBrokerAddrTable() == null
            ? null
            : cluster.getBrokerAddrTable().get(RocketMqNodes.BROKER);
    return data == null ? Map.of() : data.getBrokerAddrs();
  }

  /**
   * The node whose broker leads, as the first name server says that knows.
   *
   * @return empty if none that runs says so, or the node is dead
   */
  OptionalInt leader() {
    try {
      return ask(
          client ->
              home.reachable().stream()
                  .filter(node -> home.node(node).isRunning())
                  .map(node -> leader(client, node))
                  .filter(OptionalInt::isPresent)
                  .findFirst()
                  .orElseGet(OptionalInt::empty));
    } catch (Exception e) {
      return OptionalInt.empty();
    }
  }

  private OptionalInt leader(MQClientAPIExt client, int asked) {
    try {
      String leader = brokers(client, asked).get(MixAll.MASTER_ID);
      return IntStream.rangeClosed(1, RocketMqNodes.COUNT)
          .filter(node -> RocketMqNodes.broker(home, node).equals(leader))
          .filter(node -> home.node(node).isAlive())
          .findFirst();
    } catch (Exception e) {
      return OptionalInt.empty();
    }
  }

  /**
   * Asks each name server and the controllers, then sends a message and receives it.
   *
   * @return what is not as it should be; empty if the cluster is ready
   */
  List<String> notReady() throws InterruptedException {
    try {
      return ask(this::problems);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return List.of(String.valueOf(e));
    }
  }

  private List<String> problems(MQClientAPIExt client) throws Exception {
    List<String> problems = new ArrayList<>();
    Map<Long, String> known = Map.of();
    for (int node = 1; node <= RocketMqNodes.COUNT; node++) {
      Map<Long, String> brokers = brokers(client, node);
      if (brokers.size() != RocketMqNodes.COUNT || !brokers.containsKey(MixAll.MASTER_ID)) {
        problems.add("the name server of node %d knows %s".formatted(node, brokers));
      }
      if (node > 1 && !brokers.equals(known)) {
        problems.add("name servers know %s and %s".formatted(known, brokers));
      }
      known = brokers;
    }
    if (problems.isEmpty()) {
      problems.addAll(notInSync(client));
    }
    if (problems.isEmpty()) {
      problems.addAll(notWorking(client, known));
    }
    return problems;
  }

  private List<String> notInSync(MQClientAPIExt client) throws Exception {
    String leader =
        client
            .getControllerMetaData(RocketMqNodes.controller(home, 1))
            .getControllerLeaderAddress();
    if (leader == null) {
      return List.of("no controller leads");
    }
    byte[] answer =
        ask(
            client,
            leader,
            RequestCode.CONTROLLER_GET_SYNC_STATE_DATA,
            RemotingSerializable.encode(List.of(RocketMqNodes.BROKER)));
    BrokerReplicasInfo.ReplicasInfo info =
        RemotingSerializable.decode(answer, BrokerReplicasInfo.class)
            .getReplicasInfoTable()
            .get(RocketMqNodes.BROKER);
    int inSync = info == null ? 0 : info.getInSyncReplicas().size();
    return inSync == RocketMqNodes.COUNT
        ? List.of()
        : List.of("%d of %d replicas are in sync".formatted(inSync, RocketMqNodes.COUNT));
  }

  private static List<String> notWorking(MQClientAPIExt client, Map<Long, String> brokers)
      throws Exception {
    SubscriptionGroupConfig group = new SubscriptionGroupConfig();
    group.setGroupName(TOPIC);
    for (String broker : brokers.values()) {
      client.createSubscriptionGroup(broker, group, MILLIS);
      client.createTopic(broker, TOPIC, new TopicConfig(TOPIC, 1, 1), MILLIS);
    }
    String leader = brokers.get(MixAll.MASTER_ID);
    SendMessageRequestHeader send = new SendMessageRequestHeader();
    send.setProducerGroup(TOPIC);
    send.setTopic(TOPIC);
    send.setDefaultTopic(TOPIC);
    send.setDefaultTopicQueueNums(1);
    send.setQueueId(0);
    send.setSysFlag(0);
    send.setFlag(0);
    send.setBornTimestamp(System.currentTimeMillis());
    send.setReconsumeTimes(0);
    SendResult sent =
        client
            .sendMessageAsync(
                leader,
                RocketMqNodes.BROKER,
                new Message(TOPIC, TOPIC.getBytes(StandardCharsets.UTF_8)),
                send,
                MILLIS)
            .get(2 * MILLIS, TimeUnit.MILLISECONDS);
    if (sent.getSendStatus() != SendStatus.SEND_OK) {
      return List.of("a message was sent: " + sent.getSendStatus());
    }
    PopMessageRequestHeader pop = new PopMessageRequestHeader();
    pop.setConsumerGroup(TOPIC);
    pop.setTopic(TOPIC);
    pop.setQueueId(-1);
    pop.setMaxMsgNums(32);
    pop.setInvisibleTime(HIDDEN_MILLIS);
    pop.setPollTime(MILLIS);
    pop.setInitMode(ConsumeInitMode.MIN);
    pop.setExpType(ExpressionType.TAG);
    pop.setExp("*");
    PopResult found =
        client
            .popMessageAsync(leader, RocketMqNodes.BROKER, pop, 2 * MILLIS)
            .get(3 * MILLIS, TimeUnit.MILLISECONDS);
    if (found.getPopStatus() != PopStatus.FOUND) {
      return List.of("a message was sent, and none received: " + found.getPopStatus());
    }
    List<String> handles = new ArrayList<>();
    for (MessageExt message : found.getMsgFoundList()) {
      handles.add(message.getProperty(MessageConst.PROPERTY_POP_CK));
    }
    Object unused =
        client
            .batchAckMessageAsync(leader, TOPIC, TOPIC, handles, MILLIS)
            .get(2 * MILLIS, TimeUnit.MILLISECONDS);
    return List.of();
  }
}
