package org.mqproof.cluster.nats;

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
 * Starts a NATS cluster of three nodes with JetStream, whatever version of {@code nats-server} is
 * there.
 *
 * <p>The program is the one that the system property {@value #NATS_PROPERTY} names, else the {@code
 * nats-server} on the {@code PATH}. The system property {@value #SYNC_PROPERTY} says when the nodes
 * await their disks. Nobody gets in without the password of the user that {@link
 * Cluster#settings()} names.
 */
public final class NatsClusterProvider implements ClusterProvider {

  /** The system property that names the program to run. */
  public static final String NATS_PROPERTY = "mqproof.nats";

  /**
   * The system property with the nodes' {@code sync_interval}: {@value #ALWAYS}, or {@value
   * #SYNC_DEFAULT}, which is the default here and leaves NATS its own: two minutes.
   */
  public static final String SYNC_PROPERTY = "mqproof.nats.sync";

  /** Each write awaits the disk. */
  public static final String ALWAYS = "always";

  /** NATS' own interval. */
  public static final String SYNC_DEFAULT = "default";

  private static final ServerProgram NATS_SERVER =
      new ServerProgram(
          "nats-server", "NATS", NATS_PROPERTY, Pattern.compile("nats-server: v(\\S+)"));

  private static final String CLIENT_CLASS = "io.nats.client.Nats";

  /** For {@link java.util.ServiceLoader}. */
  public NatsClusterProvider() {}

  @Override
  public String system() {
    return "nats";
  }

  @Override
  public Optional<String> whyUnavailable() {
    try {
      NATS_SERVER.find();
    } catch (ClusterException e) {
      return Optional.ofNullable(e.getMessage());
    }
    return ClientClass.whyMissing(CLIENT_CLASS, "NATS", "io.nats:jnats", "org.mqproof:mq-nats");
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    var program = NATS_SERVER.find();
    String version = NATS_SERVER.versionOf(program);
    progress.accept("starting NATS %s, %s".formatted(version, program));
    return NatsCluster.start(program, version, isSyncAlways());
  }

  static boolean isSyncAlways() {
    return Choice.of(SYNC_PROPERTY, SYNC_DEFAULT, ALWAYS).equals(ALWAYS);
  }
}
