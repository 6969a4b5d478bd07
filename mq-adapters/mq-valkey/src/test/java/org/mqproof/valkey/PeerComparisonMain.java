package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.mqproof.MqException;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.MqClient;
import org.mqproof.comparison.QueueClient;
import org.mqproof.comparison.QueueLoad;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XAddParams;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.resps.StreamEntryBinary;

/**
 * This adapter beside pipelines of jedis, on one cluster, in pairs. {@code docs/comparisons.md} has
 * the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int BODY_BYTES = 100;
  private static final int SENDERS = 2;
  private static final int RECEIVERS = 2;

  /** A receiver of the adapter claims over one connection while it acks over another. */
  private static final int LOOPS_PER_RECEIVER = 2;

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    List<Workload> workloads = new ArrayList<>();
    for (int batch : new int[] {10, 100}) {
      QueueLoad ours = new QueueLoad(batch, SENDERS, RECEIVERS);
      QueueLoad theirs = new QueueLoad(batch, SENDERS, RECEIVERS * LOOPS_PER_RECEIVER);
      QueueClient.Factory mq =
          settings ->
              new MqClient(
                  MqProvider.named("valkey").connect(settings),
                  Load.messages(batch, BODY_BYTES),
                  1);
      workloads.addAll(
          ours.beside(
              mq,
              theirs,
              settings -> new Pipelines(settings, batch),
              batch * 2_000,
              "jedis",
              "a pipeline of XADD and one WAIT",
              "XREADGROUP, then a pipeline of XACK, XDEL and WAIT"));
    }
    int status = new Comparison(PeerComparisonMain.class, "valkey", workloads).run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  /** A stream and its group. Each step has a connection to the primary. */
  private static final class Pipelines implements QueueClient {

    private static final byte[] GROUP = "workers".getBytes(UTF_8);
    private static final byte[] BODY = "body".getBytes(UTF_8);
    private static final int MOMENT_MILLIS = 100;
    private static final int LONGEST_WAIT_MILLIS = 5_000;

    private final ValkeySettings settings;
    private final int batch;
    private final byte[] stream = ("peers-" + Long.toHexString(System.nanoTime())).getBytes(UTF_8);
    private final Collection<Jedis> connections = new ConcurrentLinkedQueue<>();

    Pipelines(Map<String, String> given, int batch) {
      settings = new ValkeySettings(Settings.of(new ValkeyMqProvider(), given));
      this.batch = batch;
      String unused = primary().xgroupCreate(stream, GROUP, "0".getBytes(UTF_8), true);
    }

    private Jedis primary() {
      JedisClientConfig config =
          DefaultJedisClientConfig.builder()
              .resp2()
              .user(settings.get(ValkeySettings.USERNAME))
              .password(settings.get(ValkeySettings.PASSWORD))
              .build();
      for (String address : settings.addresses()) {
        Jedis jedis = new Jedis(HostAndPort.from(address), config);
        connections.add(jedis);
        if (jedis.role().get(0).equals("master")) {
          return jedis;
        }
      }
      throw new MqException("none of them is the primary: " + settings.addresses());
    }

    /** What the adapter waits for as well. */
    private Response<?> awaitReplicas(Pipeline pipeline) {
      int replicas = settings.get(ValkeySettings.WAIT_REPLICAS);
      return settings.get(ValkeySettings.CONFIRM) == ValkeySettings.Confirm.WAITAOF
          ? pipeline.waitAOF(1, replicas, LONGEST_WAIT_MILLIS)
          : pipeline.waitReplicas(replicas, LONGEST_WAIT_MILLIS);
    }

    private void requireConfirmed(Response<?> waited) {
      long reached =
          waited.get() instanceof Map.Entry<?, ?> both
              ? (Long) both.getValue()
              : (Long) waited.get();
      if (reached < settings.get(ValkeySettings.WAIT_REPLICAS)) {
        throw new MqException("only %d replicas have it".formatted(reached));
      }
    }

    @Override
    public Load.Step sender() {
      Pipeline pipeline = primary().pipelined();
      Map<byte[], byte[]> entry = Map.of(BODY, Load.messages(1, BODY_BYTES).get(0).body());
      XAddParams onlyIfThere = XAddParams.xAddParams().noMkStream();
      return () -> {
        List<Response<byte[]>> added = new ArrayList<>(batch);
        for (int i = 0; i < batch; i++) {
          added.add(pipeline.xadd(stream, onlyIfThere, entry));
        }
        Response<?> waited = awaitReplicas(pipeline);
        pipeline.sync();
        for (Response<byte[]> one : added) {
          byte[] unused = one.get();
        }
        requireConfirmed(waited);
        return batch;
      };
    }

    @Override
    public Load.Step receiver() {
      Jedis reading = primary();
      byte[] consumer = Long.toHexString(System.nanoTime()).getBytes(UTF_8);
      XReadGroupParams params =
          XReadGroupParams.xReadGroupParams().count(batch).block(MOMENT_MILLIS);
      Map<byte[], StreamEntryID> what = Map.of(stream, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY);
      return () -> {
        var streams = reading.xreadGroupBinary(GROUP, consumer, params, what);
        if (streams == null || streams.isEmpty()) {
          return 0;
        }
        List<StreamEntryBinary> entries = streams.get(0).getValue();
        byte[][] ids =
            entries.stream()
                .map(entry -> entry.getID().toString().getBytes(UTF_8))
                .toArray(byte[][]::new);
        Pipeline pipeline = reading.pipelined();
        Response<Long> acked = pipeline.xack(stream, GROUP, ids);
        Response<Long> deleted = pipeline.xdel(stream, ids);
        Response<?> waited = awaitReplicas(pipeline);
        pipeline.sync();
        requireConfirmed(waited);
        return Math.toIntExact(Math.min(acked.get(), deleted.get()));
      };
    }

    @Override
    public void close() {
      long unused = primary().unlink(stream);
      connections.forEach(Jedis::close);
    }
  }
}
