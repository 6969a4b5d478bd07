package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.connection.ClusterConnectionMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The verbs of a real three-node MongoDB replica set, each seen to take effect. */
class MongoClusterIT {

  private static final String QUEUE = "verbs";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    ClusterProvider provider = TestCluster.runnable("mongodb");
    long startedAt = System.nanoTime();
    cluster = provider.start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  @AfterAll
  static void close() {
    if (cluster == null) {
      return; // skipped
    }
    List<ProcessHandle> processes =
        IntStream.rangeClosed(1, cluster.nodes()).mapToObj(cluster::process).toList();
    Path directory = cluster.directory();
    assertThat(processes).hasSize(3).allMatch(ProcessHandle::isAlive);

    cluster.close();
    cluster.close();

    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
    assertThatThrownBy(() -> cluster.heal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void whatIsConfirmedOutlivesThePrimary() {
    insert(10);
    long before = count();
    int primary = cluster.leader(QUEUE);

    long killedAt = System.nanoTime();
    cluster.kill(primary);
    insert(1);
    System.out.printf("primary killed; next confirm after %d ms%n", millisSince(killedAt));

    assertThat(cluster.process(primary).isAlive()).isFalse();
    assertThat(cluster.leader(QUEUE)).isNotEqualTo(primary);
    assertThat(count()).isEqualTo(before + 1);
    long restartedAt = System.nanoTime();
    cluster.restart(primary);
    System.out.printf("in sync %d ms after its restart%n", millisSince(restartedAt));
    assertThat(countAt(primary)).isEqualTo(before + 1);
  }

  @Test
  void aPausedPrimaryIsReplacedAndComesBack() {
    insert(10);
    long before = count();
    int primary = cluster.leader(QUEUE);

    long pausedAt = System.nanoTime();
    cluster.pause(primary);
    Processes.await("fail-over", Duration.ofSeconds(30), () -> cluster.leader(QUEUE) != primary);
    System.out.printf("primary paused; another one after %d ms%n", millisSince(pausedAt));

    assertThat(cluster.process(primary).isAlive()).isTrue();
    insert(1);
    long resumedAt = System.nanoTime();
    cluster.resume(primary);
    cluster.heal();
    System.out.printf("in sync %d ms after it went on%n", millisSince(resumedAt));
    assertThat(countAt(primary)).isEqualTo(before + 1);
  }

  @Test
  void messagesOutliveTheDeathOfEveryNode() {
    insert(10);
    long before = count();

    cluster.killAll();

    assertThat(IntStream.rangeClosed(1, 3).mapToObj(cluster::process))
        .noneMatch(ProcessHandle::isAlive);
    assertThatThrownBy(() -> cluster.leader(QUEUE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(requireNonNull(cluster.settings().get("addresses")));
    long restartedAt = System.nanoTime();
    cluster.heal();
    System.out.printf("all nodes in sync %d ms after their restart%n", millisSince(restartedAt));
    assertThat(count()).isEqualTo(before);
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path configuration = cluster.directory().resolve("node-2/mongod.conf");
    String good = Files.readString(configuration);
    cluster.kill(2);
    Files.writeString(configuration, good + "noSuchSection: 1\n");

    try {
      assertThatThrownBy(() -> cluster.restart(2))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 2 of MongoDB " + cluster.version() + " died:")
          .hasMessageContaining("noSuchSection");
    } finally {
      Files.writeString(configuration, good);
    }
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.kill(3);

    assertThatThrownBy(() -> cluster.kill(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.pause(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.resume(3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.restart(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.kill(4)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nobodyElseGetsIn() {
    try (MongoClient nobody = MongoClients.create(settings().build())) {
      assertThatThrownBy(() -> messages(nobody).countDocuments())
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("requires authentication");
    }
    MongoCredential wrong =
        MongoCredential.createCredential("mqproof", "admin", "a guess".toCharArray());
    try (MongoClient guessing = MongoClients.create(settings().credential(wrong).build())) {
      assertThatThrownBy(() -> messages(guessing).countDocuments())
          .isInstanceOf(MongoSecurityException.class);
    }
  }

  /** Inserts one by one, each until most nodes have it: retried, none is there twice. */
  private static void insert(int count) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (MongoClient client = connect()) {
      for (int i = 0; i < count; i++) {
        Document document = new Document("_id", new ObjectId());
        boolean there = false;
        while (!there) {
          try {
            var unused =
                messages(client).replaceOne(document, document, new ReplaceOptions().upsert(true));
            there = true;
          } catch (MongoException e) {
            assertThat(System.nanoTime() - deadline).as("time left after %s", e).isNegative();
          }
        }
      }
    }
  }

  private static long count() {
    try (MongoClient client = connect()) {
      return messages(client).countDocuments();
    }
  }

  private static long countAt(int node) {
    ServerAddress address = addresses().get(node - 1);
    MongoClientSettings single =
        authenticated()
            .applyToClusterSettings(
                set -> set.hosts(List.of(address)).mode(ClusterConnectionMode.SINGLE))
            .build();
    try (MongoClient client = MongoClients.create(single)) {
      return messages(client).countDocuments();
    }
  }

  private static MongoCollection<Document> messages(MongoClient client) {
    return client
        .getDatabase("verbs")
        .getCollection("messages")
        .withWriteConcern(WriteConcern.MAJORITY.withWTimeout(5, TimeUnit.SECONDS));
  }

  private static MongoClient connect() {
    return MongoClients.create(authenticated().build());
  }

  private static MongoClientSettings.Builder authenticated() {
    Map<String, String> settings = cluster.settings();
    return settings()
        .credential(
            MongoCredential.createCredential(
                requireNonNull(settings.get("username")),
                "admin",
                requireNonNull(settings.get("password")).toCharArray()));
  }

  private static MongoClientSettings.Builder settings() {
    return MongoClientSettings.builder()
        .applyToClusterSettings(
            set -> set.hosts(addresses()).serverSelectionTimeout(20, TimeUnit.SECONDS))
        .applyToSocketSettings(socket -> socket.readTimeout(5, TimeUnit.SECONDS));
  }

  private static List<ServerAddress> addresses() {
    return Arrays.stream(requireNonNull(cluster.settings().get("addresses")).split(","))
        .map(ServerAddress::new)
        .toList();
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
