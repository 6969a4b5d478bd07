package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.mqproof.ledger.Verdict;

/**
 * The case of Kafka's KIP-966. Of two replicas, which both confirm, one is paused until it is out
 * of sync: nothing is confirmed any more, and it has all that was. Then the other one, now the last
 * in sync, loses its power, and the paused one goes on first. The third node has no replica: the
 * controllers need two of three.
 */
final class LastInSyncPowerCut extends Fault {

  /** Replicas that may lead although they are not in sync (KIP-966). */
  private static final String ELIGIBLE_LEADERS = "eligible.leader.replicas.version";

  private static final int REQUEST_MILLIS = 3_000;
  private static final int CALL_MILLIS = 20_000;

  private final boolean eligibleLeaders;
  private int last;
  private int complete;
  private String replicas = "";

  /**
   * A run with replicas that may lead although they are not in sync, as Kafka has by default, or
   * without.
   */
  LastInSyncPowerCut(boolean eligibleLeaders) {
    super("power cut of the last in sync", "ALO-20, ALO-21", Harms.POWER);
    this.eligibleLeaders = eligibleLeaders;
  }

  /** None: what was sent before must still be there. */
  @Override
  protected int receivers() {
    return 0;
  }

  @Override
  protected void prepare(Cell cell) throws Exception {
    if (!eligibleLeaders) {
      await(
          cell,
          admin ->
              admin
                  .updateFeatures(
                      Map.of(
                          ELIGIBLE_LEADERS,
                          new FeatureUpdate((short) 0, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE)),
                      new UpdateFeaturesOptions())
                  .all());
    }
    last = cell.cluster().leader(cell.queue());
    TopicPartitionInfo partition = partition(cell);
    assertThat(partition.replicas()).as("replicas").hasSize(2);
    complete =
        partition.replicas().stream()
            .mapToInt(Node::id)
            .filter(node -> node != last)
            .findFirst()
            .orElseThrow();
    Disks.sync(cell.cluster());
  }

  @Override
  protected void strike(Cell cell) throws IOException {
    cell.cluster().pause(complete);
    Await.until(
        "node %d out of sync".formatted(complete), CrashHarness.PATIENCE, () -> isLast(cell));
    Disks.writeWitness(cell.cluster().disk(last));
    cell.cutPower(last);
    cell.cluster().resume(complete);
  }

  @Override
  protected String tookEffect(Cell cell) throws IOException {
    Disks.assertWitnessIsGone(cell.cluster().disk(last), "the disk of node " + last);
    return "%s; before: %s".formatted(cell.assertKilledAreDead(), replicas);
  }

  /** One replica is too few for a confirm. */
  @Override
  protected void whileItLasts(Cell cell) {
    if (eligibleLeaders) {
      cell.awaitAnotherLeader(last);
    }
  }

  @Override
  protected void check(Verdict verdict) {
    if (!eligibleLeaders) {
      assertThat(verdict.lost()).as("lost without %s", ELIGIBLE_LEADERS).isPositive();
    }
  }

  private boolean isLast(Cell cell) {
    try {
      TopicPartitionInfo partition = partition(cell);
      replicas = partition.toString();
      return partition.isr().stream().mapToInt(Node::id).boxed().toList().equals(List.of(last));
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      return false; // the paused node was asked
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static TopicPartitionInfo partition(Cell cell)
      throws ExecutionException, InterruptedException, TimeoutException {
    return Objects.requireNonNull(
            await(cell, admin -> admin.describeTopics(List.of(cell.queue())).allTopicNames())
                .get(cell.queue()))
        .partitions()
        .get(0);
  }

  /** A request to a cluster. */
  private interface Request<T> {
    KafkaFuture<T> to(Admin admin);
  }

  private static <T> T await(Cell cell, Request<T> request)
      throws ExecutionException, InterruptedException, TimeoutException {
    Admin admin =
        Admin.create(
            Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                Objects.requireNonNull(cell.cluster().settings().get("bootstrap.servers")),
                AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                CALL_MILLIS));
    try {
      return request.to(admin).get(CALL_MILLIS, TimeUnit.MILLISECONDS);
    } finally {
      admin.close(Duration.ofSeconds(1));
    }
  }
}
