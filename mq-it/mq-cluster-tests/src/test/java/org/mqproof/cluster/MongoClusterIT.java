package org.mqproof.cluster;

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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;

/** A real three-node MongoDB replica set. */
class MongoClusterIT extends ReplicatedClusterTests {

  MongoClusterIT() {
    super("mongodb", "MongoDB");
  }

  @Override
  String addresses() {
    return "addresses";
  }

  @Override
  String breakConfiguration(String text) {
    return text + "noSuchSection: 1\n";
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("mongod.conf", "noSuchSection");
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
  @Override
  void send(String queue, int count) {
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

  @Override
  long stored(String queue) {
    try (MongoClient client = connect()) {
      return messages(client).countDocuments();
    }
  }

  @Override
  void assertCaughtUp(int node) {
    ServerAddress address = servers().get(node - 1);
    MongoClientSettings single =
        authenticated()
            .applyToClusterSettings(
                set -> set.hosts(List.of(address)).mode(ClusterConnectionMode.SINGLE))
            .build();
    try (MongoClient client = MongoClients.create(single)) {
      assertThat(messages(client).countDocuments()).isEqualTo(stored(QUEUE));
    }
  }

  private static MongoCollection<Document> messages(MongoClient client) {
    return client
        .getDatabase("verbs")
        .getCollection("messages")
        .withWriteConcern(WriteConcern.MAJORITY.withWTimeout(5, TimeUnit.SECONDS));
  }

  private MongoClient connect() {
    return MongoClients.create(authenticated().build());
  }

  private MongoClientSettings.Builder authenticated() {
    return settings()
        .credential(
            MongoCredential.createCredential(
                setting("username"), "admin", setting("password").toCharArray()));
  }

  private MongoClientSettings.Builder settings() {
    return MongoClientSettings.builder()
        .applyToClusterSettings(
            set -> set.hosts(servers()).serverSelectionTimeout(20, TimeUnit.SECONDS))
        .applyToSocketSettings(socket -> socket.readTimeout(5, TimeUnit.SECONDS));
  }

  private List<ServerAddress> servers() {
    return Arrays.stream(setting(addresses()).split(",")).map(ServerAddress::new).toList();
  }
}
