package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/**
 * The kit against a real cluster, in one mode. A system's test class registers the cluster, and
 * each of its modes extends this class within it.
 *
 * <p>Modes run one after the other: reports tell them apart then, and a queue whose name is the
 * same in each is there once. Tests of a mode run side by side where the kit says so.
 */
@ExtendWith(RulesOfVariants.class)
abstract class ClusterConformance extends MqConformance {

  private static final Pattern HOSTS = Pattern.compile("[^\\s,:/]+:\\d+(,[^\\s,:/]+:\\d+)*");

  /**
   * One answer of a cluster may take a quarter of a call. All of a mode's tests run at the same
   * time, beside other modules: on two cores with a load of 60, MongoDB needed more than 5 s for
   * one, and ElasticMQ more than 15 s.
   */
  static final Map<String, String> PATIENT = Map.of("call.bound", "120s", "connect.bound", "30s");

  private final TestCluster cluster;
  private final Map<String, String> mode;
  private final Map<String, String> impatient;

  /**
   * A mode that gives up a connection after 2 s where nobody answers.
   *
   * @param mode its settings; the cluster's own are added
   */
  ClusterConformance(TestCluster cluster, Map<String, String> mode) {
    this(cluster, mode, Map.of("connect.bound", "2s"));
  }

  /**
   * A mode.
   *
   * @param impatient settings where nobody answers, in addition
   */
  ClusterConformance(TestCluster cluster, Map<String, String> mode, Map<String, String> impatient) {
    this.cluster = cluster;
    this.mode = mode;
    this.impatient = impatient;
  }

  /** How this mode gets in to the cluster: each of the ways is some mode's. */
  protected Access access() {
    return Access.PLAIN;
  }

  @Override
  protected Mq connect() {
    return connect(PATIENT);
  }

  @Override
  protected Mq connectToDead() {
    return connect(impatientAt(deadEndpoint()));
  }

  @Override
  protected Mq connectToHung() {
    return connect(impatientAt(hungEndpoint()));
  }

  @Override
  protected int breakConnections() {
    return cluster.breakConnections(access());
  }

  /** Nothing is told of what was under way; the same connection sends and receives again. */
  @Test
  @ResourceLock("org.mqproof.conformance.threads-and-sockets") // no other test's connections
  @DisplayName("connections of this JVM can be broken, and others take their place")
  void brokenConnectionsAreReplaced() throws Exception {
    String queue = "broken-" + Long.toHexString(System.nanoTime());
    try (Mq mq = connect()) {
      mq.createQueue(queue);
      send(mq, queue, "before");
      int ended = breakConnections();
      assumeTrue(ended > 0, "only root can break connections, and not with every kernel");
      assertThat(working(() -> send(mq, queue, "after"))).isTrue();
      Set<String> missing = new HashSet<>(Set.of("before", "after"));
      assertThat(working(() -> receive(mq, queue, missing))).as("missing %s", missing).isTrue();
      mq.deleteQueue(queue);
    }
  }

  /** The kit skips what a receiver declares and has only the contract's default of. */
  @Test
  @DisplayName("release and extend are the adapter's own where they are declared")
  void releaseAndExtendAreTheAdaptersOwn() throws Exception {
    String queue = "methods-" + Long.toHexString(System.nanoTime());
    try (Mq mq = connect()) {
      mq.createQueue(queue);
      try (Receiver receiver = mq.receiver(queue)) {
        Traits traits = mq.traits();
        assertThat(isOwn(receiver, "release") || traits.release() == Release.NONE).isTrue();
        assertThat(isOwn(receiver, "extend") || !traits.extendable()).isTrue();
      }
      mq.deleteQueue(queue);
    }
  }

  private static boolean isOwn(Receiver receiver, String method) throws NoSuchMethodException {
    Class<?> declaring =
        receiver.getClass().getMethod(method, Collection.class).getDeclaringClass();
    return declaring != Receiver.class;
  }

  private interface Work {
    boolean done() throws InterruptedException;
  }

  /** Whether it is done within the patience, in as many attempts as it takes. */
  private boolean working(Work work) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < patience().toNanos()) {
      try {
        if (work.done()) {
          return true;
        }
      } catch (MqException e) {
        elapse(Duration.ofMillis(20)); // a connection that broke
      }
    }
    return false;
  }

  private static boolean send(Mq mq, String queue, String body) throws InterruptedException {
    try (Sender sender = mq.sender(queue)) {
      sender.send(List.of(new Message(body.getBytes(UTF_8))));
    }
    return true;
  }

  private static boolean receive(Mq mq, String queue, Set<String> missing)
      throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      for (Delivery delivery : receiver.receive(10, Duration.ofSeconds(5))) {
        missing.remove(new String(delivery.message().body(), UTF_8));
      }
    }
    return missing.isEmpty();
  }

  /** The cluster's settings, with this endpoint in the place of its nodes. */
  private Map<String, String> impatientAt(String endpoint) {
    Map<String, String> settings = new HashMap<>(impatient);
    cluster
        .settings(access())
        .forEach(
            (key, value) -> {
              String there = HOSTS.matcher(value).replaceFirst(endpoint);
              if (!there.equals(value)) {
                settings.put(key, there);
              }
            });
    return settings;
  }

  private Mq connect(Map<String, String> others) {
    Map<String, String> settings = new HashMap<>(cluster.settings(access()));
    settings.putAll(mode);
    settings.putAll(others);
    return MqProvider.named(cluster.system()).connect(settings);
  }
}
