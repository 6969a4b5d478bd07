package org.mqproof.cluster.mongodb;

import com.mongodb.MongoException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.RandomHex;

/** A MongoDB replica set, each node a child process. Thread-safe, as {@link Cluster} says. */
final class MongoCluster extends ProcessCluster {

  /** That a client came, and that it went: the ids of the messages never change. */
  private static final Pattern CONNECTION = Pattern.compile("\"id\":(51800|20883|22943|22944),");

  private final Tuning tuning;
  private final String password;
  private final MongoProbe probe;

  private MongoCluster(String version, String key, Tuning tuning, ClusterHome home) {
    super("MongoDB", version, MongoNodes.addresses(home), home);
    this.tuning = tuning;
    password = RandomHex.of(16);
    probe = new MongoProbe(home, key, password);
  }

  static MongoCluster start(Path mongod, Tuning tuning, Consumer<String> progress) {
    String version = MongoClusterProvider.MONGOD.versionOf(mongod);
    progress.accept("starting MongoDB %s, %s".formatted(version, mongod));
    return start(
        "mongodb",
        MongoNodes.COUNT,
        home -> {
          String key = RandomHex.of(16);
          MongoNodes.addTo(home, mongod, key, tuning);
          return new MongoCluster(version, key, tuning, home);
        });
  }

  /** Nodes know nothing of each other until one is told; then a user is made, and the door shut. */
  @Override
  protected void form() {
    home.nodes().forEach(home::start);
    try {
      awaitAlive("answer", probe::notAnswering);
      probe.initiate(tuning);
      awaitAlive("elect a primary", probe::noPrimary);
      probe.createUser();
      if (home.security().isPresent()) {
        probe.createUserOfCertificate();
      }
    } catch (MongoException e) {
      throw new ClusterException(
          "the nodes of MongoDB %s do not form a replica set: %s\n%s"
              .formatted(version(), e.getMessage(), lastLogLines()),
          e);
    }
    awaitReady(home.nodes());
  }

  @Override
  public String system() {
    return "mongodb";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "addresses", MongoNodes.addresses(home), "username", MongoNodes.USER, "password", password);
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    return switch (access) {
      case CERTIFICATE -> Map.of("auth", "certificate");
      case LEAST -> Map.of("username", Access.LEAST_USER);
      default -> Map.of();
    };
  }

  /** Every queue has the same one: the primary. */
  @Override
  public int leader(String queue) {
    return awaitOne("primary", probe::primary);
  }

  /**
   * A node that was killed, and finds that others have moved on, takes back what came after its
   * last checkpoint; for each key 6.0.5 walks past all those that it has taken back already, so the
   * time grows with the square of their number. From one fault to the next, minutes of load could
   * add up: a node that was killed again before its checkpoint was written needed more than 14
   * minutes.
   */
  @Override
  protected void awaitReady(List<NodeProcess> started) {
    super.awaitReady(started);
    awaitAlive("write a checkpoint", probe::notWritten);
  }

  @Override
  protected List<String> notReady() {
    return probe.notReady();
  }

  /** Each look at the nodes makes new connections, and each of those a line or two. */
  @Override
  protected boolean isWorthReading(String logLine) {
    return !CONNECTION.matcher(logLine).find();
  }
}
