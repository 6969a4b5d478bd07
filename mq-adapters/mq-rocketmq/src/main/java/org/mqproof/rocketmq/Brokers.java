package org.mqproof.rocketmq;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.mqclient.DoNothingClientRemotingProcessor;
import org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyEvent;
import org.apache.rocketmq.remoting.netty.NettyEventType;
import org.apache.rocketmq.remoting.netty.NettyRemotingAbstract;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.body.ClusterInfo;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.Retries;

/**
 * The library, and who leads the brokers: what a name server said last, until a request to the
 * leader fails. The library sends each request once.
 *
 * <p>Thread-safe.
 */
final class Brokers implements AutoCloseable {

  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final long CLOSE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The library notices once a second that an answer did not come in time. */
  private static final long LATE_MILLIS = 2_000;

  private static final String LOG_SETTINGS = "rmq.logback.configurationFile";

  static {
    if (System.getProperty(LOG_SETTINGS) == null) {
      System.setProperty(LOG_SETTINGS, "mqproof.rmq.logback.xml");
    }
  }

  private final RocketMqSettings settings;
  private final BlockingCalls calls;
  private final MQClientAPIExt client;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Group known;
  private int nextNameServer;

  /** Nobody leads the brokers, as far as can be told. */
  static final class NoLeader extends Exception {
    private static final long serialVersionUID = 1L;

    NoLeader(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The brokers of one name.
   *
   * @param leader address of the one that takes messages
   * @param all addresses of all that run, the leader's first
   */
  record Group(String leader, List<String> all) {}

  /** One request, or some, to the leader. */
  interface Question<T> {
    T ask(MQClientAPIExt client, String leader, long millis) throws Exception;
  }

  /** Connects to nothing yet. */
  Brokers(RocketMqSettings settings) {
    this.settings = settings;
    calls =
        new BlockingCalls(
            "mqproof-rocketmq", settings.endpoint(), Errors::reason, settings.callBound());
    ClientConfig config = new ClientConfig();
    config.setVipChannelEnabled(false);
    NettyClientConfig netty = new NettyClientConfig();
    netty.setConnectTimeoutMillis(
        (int) settings.get(RocketMqSettings.CONNECT_BOUND).toMillis()
            / settings.nameServers().size());
    netty.setDisableCallbackExecutor(true); // no callback of ours blocks
    client = new MQClientAPIExt(config, netty, new DoNothingClientRemotingProcessor(null), null);
    client.start();
  }

  RocketMqSettings settings() {
    return settings;
  }

  BlockingCalls calls() {
    return calls;
  }

  MQClientAPIExt client() {
    return client;
  }

  /** Who leads, as was said last, or is said now. */
  Group group() throws NoLeader, InterruptedException {
    Group found = known;
    if (found != null) {
      return found;
    }
    lock.lockInterruptibly();
    try {
      found = known;
      if (found == null) {
        found = look();
        known = found;
      }
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** The next one who wants to know asks another name server. */
  void forget(Group group) {
    if (group.equals(known)) {
      known = null;
    }
  }

  private Group look() throws NoLeader, InterruptedException {
    List<String> nameServers = settings.nameServers();
    long millis = settings.get(RocketMqSettings.CONNECT_BOUND).toMillis() / nameServers.size();
    Throwable last = null;
    for (int i = 0; i < nameServers.size(); i++) {
      String nameServer = nameServers.get(nextNameServer);
      nextNameServer = (nextNameServer + 1) % nameServers.size();
      try {
        RemotingCommand answer =
            client
                .getRemotingClient()
                .invokeSync(
                    nameServer,
                    RemotingCommand.createRequestCommand(RequestCode.GET_BROKER_CLUSTER_INFO, null),
                    millis);
        Group found =
            answer.getCode() == ResponseCode.SUCCESS
                ? group(ClusterInfo.decode(answer.getBody(), ClusterInfo.class))
                : null;
        if (found != null) {
          return found;
        }
      } catch (RemotingException e) {
        last = e;
      }
    }
    throw new NoLeader(
        last == null
            ? "no name server knows a leader of " + settings.broker()
            : "no leader of %s was found: %s".formatted(settings.broker(), Causes.reason(last)),
        last);
  }

  private @Nullable Group group(ClusterInfo cluster) {
    Map<String, BrokerData> brokers = cluster.getBrokerAddrTable();
    BrokerData data = brokers == null ? null : brokers.get(settings.broker());
    String leader = data == null ? null : data.getBrokerAddrs().get(MixAll.MASTER_ID);
    if (data == null || leader == null) {
      return null;
    }
    return new Group(
        leader,
        data.getBrokerAddrs().values().stream()
            .sorted((one, other) -> Boolean.compare(other.equals(leader), one.equals(leader)))
            .toList());
  }

  /**
   * Asks the leader something that may be asked twice, and again while no answer comes.
   *
   * @throws Exception why there is none after a step
   */
  <T> T ask(Question<T> question) throws Exception {
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    while (true) {
      Group group = null;
      Throwable failure;
      try {
        group = group();
        return question.ask(client, group.leader(), millisUntil(deadline));
      } catch (Exception e) {
        failure = Causes.first(e);
        if (!Errors.isNobody(failure) && !(failure instanceof RemotingException)) {
          throw e;
        }
      }
      if (group != null) {
        forget(group);
      }
      if (!Retries.hasTimeLeft(deadline)) {
        throw new MqException(Errors.reason(failure), failure);
      }
    }
  }

  /** One of several requests. */
  interface Request<P> {
    CompletableFuture<?> send(String leader, P part, long millis);
  }

  /**
   * Makes requests to the leader, all under way at a time, and again those whose failure says that
   * they may be repeated.
   *
   * @param parts one for each request, all different
   * @param deadlineNanos what has no answer by then has failed
   * @return why, for each that has no result
   */
  <P> Map<P, Throwable> each(
      List<P> parts, long deadlineNanos, Predicate<Throwable> mayRepeat, Request<P> request) {
    Map<P, Throwable> failures = new HashMap<>();
    List<P> open = parts;
    try {
      do {
        List<P> again = new ArrayList<>();
        open.forEach(part -> failures.put(part, new MqException("no answer")));
        try {
          Group group = group();
          List<CompletableFuture<?>> answers = new ArrayList<>();
          for (P part : open) {
            answers.add(request.send(group.leader(), part, millisUntil(deadlineNanos)));
          }
          for (int i = 0; i < answers.size(); i++) {
            Throwable why = failure(answers.get(i), deadlineNanos);
            if (why == null) {
              failures.remove(open.get(i));
              continue;
            }
            forget(group);
            failures.put(open.get(i), why);
            if (mayRepeat.test(why)) {
              again.add(open.get(i));
            }
          }
        } catch (NoLeader e) {
          open.forEach(part -> failures.put(part, e));
          again = open;
        }
        open = again;
      } while (!open.isEmpty() && Retries.hasTimeLeft(deadlineNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return failures;
  }

  /** Why a request has no result, or null if it has. Waits for it. */
  private static @Nullable Throwable failure(CompletableFuture<?> answer, long deadlineNanos)
      throws InterruptedException {
    try {
      Object unused = answer.get(millisUntil(deadlineNanos) + LATE_MILLIS, TimeUnit.MILLISECONDS);
      return null;
    } catch (ExecutionException e) {
      return Causes.first(e);
    } catch (TimeoutException e) {
      return e;
    }
  }

  private static long millisUntil(long deadlineNanos) {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
  }

  /** A thread of the library looks every 3 s whether it is to end, or at an event. */
  @Override
  public void close() {
    Future<?> closing = calls.submit(Executors.callable(client::shutdown));
    long deadline = System.nanoTime() + CLOSE_NANOS;
    while (System.nanoTime() - deadline < 0
        && !BoundedWaits.await(closing, System.nanoTime() + CLOSE_LOOK_NANOS)) {
      if (client.getRemotingClient() instanceof NettyRemotingAbstract netty) {
        netty.putNettyEvent(new NettyEvent(NettyEventType.IDLE, "", null));
      }
    }
    calls.close();
  }
}
