package org.mqproof.comparison;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;

/** Has no nodes; its settings say 1 to who gets in by TLS, and 0 to others. */
public final class NoCluster implements ClusterProvider {

  static final String BY_TLS = "by.tls";

  @Override
  public String system() {
    return "none";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return Optional.empty();
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    return (Cluster)
        Proxy.newProxyInstance(
            Cluster.class.getClassLoader(),
            new Class<?>[] {Cluster.class},
            (cluster, method, args) ->
                method.getName().equals("settings")
                    ? Map.of(BY_TLS, args[0] == Access.PLAIN ? "0" : "1")
                    : null);
  }
}
