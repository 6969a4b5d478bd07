package org.mqproof.cluster.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.connection.ClusterConnectionMode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.security.Security;

/**
 * Asks a MongoDB replica set how it is, with new connections each time so that no answer is an old
 * one. Thread-safe: no state but the addresses. A call ends within 20 s.
 */
final class MongoProbe {

  private static final String DATABASE = "mqproof-ready";
  private static final int CONNECT_MILLIS = 2_000;
  private static final int READ_MILLIS = 4_000;
  private static final int REPLICATION_MILLIS = 3_000;
  private static final int ALREADY_INITIALIZED = 23;

  private final ClusterHome home;
  private final String key;
  private final String password;

  MongoProbe(ClusterHome home, String key, String password) {
    this.home = home;
    this.key = key;
    this.password = password;
  }

  // While a cluster is formed; nobody has a password yet but the nodes, with their key.

  /** Which nodes do not answer yet. */
  List<String> notAnswering() {
    List<String> problems = new ArrayList<>();
    for (int node = 1; node <= MongoNodes.COUNT; node++) {
      try {
        hello(node);
      } catch (MongoException e) {
        problems.add("node %d: %s".formatted(node, e.getMessage()));
      }
    }
    return problems;
  }

  /** Tells the nodes of each other. */
  void initiate(Tuning tuning) {
    List<Document> members = new ArrayList<>();
    for (int node = 1; node <= MongoNodes.COUNT; node++) {
      members.add(new Document("_id", node).append("host", MongoNodes.address(home, node)));
    }
    Document settings =
        tuning == Tuning.FAST
            // For tests: the default, 10 s, is how long a silent primary stays the primary.
            ? new Document("electionTimeoutMillis", 2_000).append("heartbeatIntervalMillis", 500)
            : new Document();
    Document configuration =
        new Document("_id", MongoNodes.REPLICA_SET)
            .append("members", members)
            .append("settings", settings);
    try {
      Document unused =
          ask(1, node(), admin -> admin.run(new Document("replSetInitiate", configuration)));
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != ALREADY_INITIALIZED) {
        throw e;
      }
    }
  }

  /** Whether none of the nodes takes writes yet. */
  List<String> noPrimary() {
    return primary().isPresent() ? List.of() : List.of("there is no primary");
  }

  /** Makes the user with the password. */
  void createUser() {
    create(new Document("createUser", MongoNodes.USER).append("pwd", password), "admin");
  }

  /** Makes the user whom the client's certificate names. */
  void createUserOfCertificate() {
    create(new Document("createUser", "CN=%s,OU=clients".formatted(Security.USER)), "$external");
  }

  private void create(Document user, String database) {
    int primary =
        primary().orElseThrow(() -> new ClusterException("the primary went away at once"));
    Document role = new Document("role", "root").append("db", "admin");
    Document unused =
        ask(
            primary,
            node(),
            admin ->
                admin.run(
                    database,
                    user.append("roles", List.of(role))
                        .append(
                            "writeConcern",
                            new Document("w", "majority").append("wtimeout", REPLICATION_MILLIS))));
  }

  // At any time.

  /**
   * The node that takes writes: of several that believe it of themselves, the one elected last.
   *
   * @return empty if no node that runs says so
   */
  OptionalInt primary() {
    int primary = 0;
    ObjectId elected = new ObjectId(new byte[12]);
    for (int node : home.reachable()) {
      Document hello = home.node(node).isRunning() ? helloIfAlive(node) : new Document();
      ObjectId election = hello.get("electionId", ObjectId.class);
      if (hello.getBoolean("isWritablePrimary", false)
          && election != null
          && election.compareTo(elected) > 0) {
        primary = node;
        elected = election;
      }
    }
    return primary == 0 ? OptionalInt.empty() : OptionalInt.of(primary);
  }

  private Document helloIfAlive(int node) {
    try {
      return hello(node);
    } catch (MongoException e) {
      return new Document(); // it starts, or it was just killed
    }
  }

  private Document hello(int node) {
    return ask(node, null, admin -> admin.run(new Document("hello", 1)));
  }

  /**
   * Asks the primary for the state of all, then writes something that every node must have on disk
   * before it is confirmed.
   *
   * @return what is not as it should be; empty if the replica set is ready
   */
  List<String> notReady() {
    OptionalInt primary = primary();
    if (primary.isEmpty()) {
      return List.of("there is no primary");
    }
    try {
      return ask(primary.getAsInt(), credential(), MongoProbe::notInSync);
    } catch (MongoException e) {
      return List.of("node %d, the primary: %s".formatted(primary.getAsInt(), e.getMessage()));
    }
  }

  /**
   * Has each node write what it knows of into a checkpoint, from which it starts when it is killed.
   *
   * @return which nodes have not done so within some seconds; empty if all have
   */
  List<String> notWritten() {
    List<String> problems = new ArrayList<>();
    for (int node = 1; node <= MongoNodes.COUNT; node++) {
      try {
        Document unused = ask(node, credential(), admin -> admin.run(new Document("fsync", 1)));
      } catch (MongoException e) {
        problems.add("node %d: %s".formatted(node, e.getMessage()));
      }
    }
    return problems;
  }

  private static List<String> notInSync(Admin admin) {
    List<String> problems = new ArrayList<>();
    for (Document member :
        admin.run(new Document("replSetGetStatus", 1)).getList("members", Document.class)) {
      String state = member.getString("stateStr");
      if (!state.equals("PRIMARY") && !state.equals("SECONDARY")) {
        problems.add("node %s is %s".formatted(member.get("_id"), state));
      }
    }
    if (problems.isEmpty()) {
      admin.writeToAll();
    }
    return problems;
  }

  /** Who the nodes are to each other. */
  private MongoCredential node() {
    return MongoCredential.createCredential("__system", "local", key.toCharArray());
  }

  private MongoCredential credential() {
    return MongoCredential.createCredential(MongoNodes.USER, "admin", password.toCharArray());
  }

  private <T> T ask(int node, @Nullable MongoCredential credential, Function<Admin, T> question) {
    MongoClientSettings.Builder settings =
        MongoClientSettings.builder()
            .applyToClusterSettings(
                cluster ->
                    cluster
                        .hosts(List.of(new ServerAddress(MongoNodes.address(home, node))))
                        .mode(ClusterConnectionMode.SINGLE)
                        .serverSelectionTimeout(CONNECT_MILLIS, TimeUnit.MILLISECONDS))
            .applyToSocketSettings(
                socket ->
                    socket
                        .connectTimeout(CONNECT_MILLIS, TimeUnit.MILLISECONDS)
                        .readTimeout(READ_MILLIS, TimeUnit.MILLISECONDS))
            .retryReads(false)
            .retryWrites(false);
    if (credential != null) {
      settings.credential(credential);
    }
    try (MongoClient client = MongoClients.create(settings.build())) {
      return question.apply(new Admin(client));
    }
  }

  /** One node, connected to for one question. For one thread. */
  private record Admin(MongoClient client) {

    Document run(Document command) {
      return run("admin", command);
    }

    Document run(String database, Document command) {
      return client.getDatabase(database).runCommand(command);
    }

    void writeToAll() {
      WriteConcern everywhere =
          new WriteConcern(MongoNodes.COUNT)
              .withJournal(true)
              .withWTimeout(REPLICATION_MILLIS, TimeUnit.MILLISECONDS);
      var unused =
          client
              .getDatabase(DATABASE)
              .getCollection("looks")
              .withWriteConcern(everywhere)
              .replaceOne(
                  new Document("_id", 1),
                  new Document("look", new ObjectId()),
                  new ReplaceOptions().upsert(true));
    }
  }
}
