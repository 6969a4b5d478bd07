package org.mqproof.conformance.clusters;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.bson.BsonDateTime;
import org.bson.Document;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** A replica set of three nodes. */
class MongoConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.MONGODB;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  @Nested
  @DisplayName("MongoDB, write concern majority")
  class Majority extends ClusterConformance {
    Majority() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "capped=true",
          made(name -> new Document("convertToCapped", name).append("size", 1 << 20)),
          "expireAfterSeconds=60",
          made(
              name ->
                  new Document("createIndexes", name)
                      .append(
                          "indexes",
                          List.of(
                              new Document("key", new Document("since", 1))
                                  .append("name", "since")
                                  .append("expireAfterSeconds", 60)))));
    }

    /** A queue whose collection others changed. */
    private BrokenQueue made(Function<String, Document> change) {
      return queue -> {
        try (Mq mq = connect();
            MongoClient client = owner()) {
          mq.createQueue(queue);
          MongoDatabase database = client.getDatabase("mqproof");
          assertThat(database.runCommand(change.apply(collection(database, queue))))
              .containsEntry("ok", 1.0);
        }
        return () -> {};
      };
    }
  }

  private static MongoClient owner() {
    Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
    return MongoClients.create(
        "mongodb://%s:%s@%s/"
            .formatted(
                settings.get("username"), settings.get("password"), settings.get("addresses")));
  }

  private static String collection(MongoDatabase database, String queue) {
    Document entry = database.getCollection("queues").find(Filters.eq(queue)).first();
    return requireNonNull(entry, "the queue").getString("collection");
  }

  @Nested
  @DisplayName("MongoDB, write concern w1")
  @Variant(of = Majority.class)
  @Tag("full") // the same commands: only what a crash leaves differs
  class W1 extends ClusterConformance {
    W1() {
      super(CLUSTER, Map.of("write.concern", "w1", "claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @Tag("full") // one request for each message: some four minutes
  @DisplayName("MongoDB, write concern majority, claims one by one")
  @Variant(of = Majority.class)
  class ClaimOne extends ClusterConformance {
    ClaimOne() {
      super(CLUSTER, Map.of("claim", "one", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("MongoDB, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "Authentication failed";
    }

    @Override
    String missingRightSays() {
      return "not authorized on mqproof";
    }

    @Override
    void grantLeastRights(Mq owner) {
      Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
      try (MongoClient client = owner()) {
        MongoDatabase admin = client.getDatabase("admin");
        List<Document> rights =
            List.of(
                right("queues", "find"),
                right(
                    collection(client.getDatabase("mqproof"), Access.LEAST_QUEUE),
                    "find",
                    "insert",
                    "update",
                    "remove",
                    "changeStream"));
        Document role =
            new Document("createRole", Access.LEAST_USER)
                .append("privileges", rights)
                .append("roles", List.of());
        Document user =
            new Document("createUser", Access.LEAST_USER)
                .append("pwd", settings.get("password"))
                .append("roles", List.of(Access.LEAST_USER));
        assertThat(admin.runCommand(role)).containsEntry("ok", 1.0);
        assertThat(admin.runCommand(user)).containsEntry("ok", 1.0);
      }
    }

    private static Document right(String collection, String... actions) {
      return new Document(
              "resource", new Document("db", "mqproof").append("collection", collection))
          .append("actions", List.of(actions));
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            SSLContext tls = trusting(settings);
            String url =
                "mongodb://%s:%s@%s/"
                    .formatted(
                        setting(settings, "username"),
                        setting(settings, "password"),
                        setting(settings, "addresses"));
            MongoClientSettings own =
                MongoClientSettings.builder()
                    .applyConnectionString(new ConnectionString(url))
                    .applyToSslSettings(builder -> builder.enabled(true).context(tls))
                    .build();
            Document message =
                new Document("slot", 0).append("until", new BsonDateTime(0)).append("body", body);
            try (MongoClient client = MongoClients.create(own)) {
              MongoDatabase database = client.getDatabase("mqproof");
              var unused = database.getCollection(collection(database, queue)).insertOne(message);
            }
          });
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
