package org.mqproof.cluster.valkey;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClientClass;
import org.mqproof.cluster.process.ServerProgram;

/**
 * Starts Valkey: a primary and two replicas, whatever version of {@code valkey-server} is there.
 * Nobody gets in without the password of the user that {@link Cluster#settings()} names.
 *
 * <p>This is no consensus, and Valkey does not fail over by itself. The cluster does what an
 * operator's tool would: when the primary is dead, or has not answered for 2 s, and both replicas
 * answer and were in sync with it, it stops what they receive, asks both for their offset, and
 * promotes the one that is further. While a second node is down nobody is promoted: the one that is
 * left may lack what was confirmed. Sentinel does less: it neither stops what replicas receive nor
 * waits for those that it does not reach.
 *
 * <p>The program is the one that the system property {@value #VALKEY_PROPERTY} names, else the
 * {@code valkey-server} on the {@code PATH}. Each node has an append-only file; the system property
 * {@value #FSYNC_PROPERTY} says when it is forced to the disk.
 */
public final class ValkeyClusterProvider implements ClusterProvider {

  /** The system property that names the program to run. */
  public static final String VALKEY_PROPERTY = "mqproof.valkey";

  /**
   * The system property with the nodes' {@code appendfsync}: {@value #ALWAYS}, or {@value
   * #EVERY_SECOND}, which is the default here as it is Valkey's.
   */
  public static final String FSYNC_PROPERTY = "mqproof.valkey.appendfsync";

  /** Each write awaits the disk. */
  public static final String ALWAYS = "always";

  /** The disk has what is a second old, or two. */
  public static final String EVERY_SECOND = "everysec";

  private static final ServerProgram VALKEY_SERVER =
      new ServerProgram(
          "valkey-server", "Valkey", VALKEY_PROPERTY, Pattern.compile("server v=(\\S+)"));

  private static final String CLIENT_CLASS = "redis.clients.jedis.Connection";

  /** For {@link java.util.ServiceLoader}. */
  public ValkeyClusterProvider() {}

  @Override
  public String system() {
    return "valkey";
  }

  @Override
  public Optional<String> whyUnavailable() {
    try {
      var unused = VALKEY_SERVER.find();
    } catch (ClusterException e) {
      return Optional.ofNullable(e.getMessage());
    }
    return ClientClass.whyMissing(
        CLIENT_CLASS, "Valkey", "redis.clients:jedis", "org.mqproof:mq-valkey");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    var program = VALKEY_SERVER.find();
    String version = VALKEY_SERVER.versionOf(program);
    progress.accept("starting Valkey %s, %s".formatted(version, program));
    return ValkeyCluster.start(program, version, fsync());
  }

  static String fsync() {
    return Choice.of(FSYNC_PROPERTY, EVERY_SECOND, ALWAYS);
  }
}
