package org.mqproof.cluster.mongodb;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClientClass;
import org.mqproof.cluster.process.ServerProgram;

/**
 * Starts a MongoDB replica set of three data-bearing nodes, whatever version of {@code mongod} is
 * there.
 *
 * <p>The program is the one that the system property {@value #MONGOD_PROPERTY} names, else the
 * {@code mongod} on the {@code PATH}. Nobody gets in without the password of the user that {@link
 * Cluster#settings()} names.
 */
public final class MongoClusterProvider implements ClusterProvider {

  /** The system property that names the program to run. */
  public static final String MONGOD_PROPERTY = "mqproof.mongod";

  static final ServerProgram MONGOD =
      new ServerProgram(
          "mongod", "MongoDB", MONGOD_PROPERTY, Pattern.compile("db version v(\\S+)"));

  private static final String CLIENT_CLASS = "com.mongodb.client.MongoClients";

  /** For {@link java.util.ServiceLoader}. */
  public MongoClusterProvider() {}

  @Override
  public String system() {
    return "mongodb";
  }

  @Override
  public Optional<String> whyUnavailable() {
    try {
      MONGOD.find();
    } catch (ClusterException e) {
      return Optional.ofNullable(e.getMessage());
    }
    return ClientClass.whyMissing(
        CLIENT_CLASS, "MongoDB", "org.mongodb:mongodb-driver-sync", "org.mqproof:mq-mongodb");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return MongoCluster.start(MONGOD.find(), tuning, progress);
  }
}
