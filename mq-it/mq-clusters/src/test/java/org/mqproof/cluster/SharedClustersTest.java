package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedClustersTest {

  private final List<String> events = new ArrayList<>();
  private final SharedClusters clusters = new SharedClusters();

  @Test
  void theNextClassFindsTheClusterOfTheOneBefore() {
    Cluster first = usedOnce("kafka");

    assertThat(usedOnce("kafka")).isSameAs(first);
    assertThat(events).containsExactly("kafka starts");
  }

  @Test
  void whatNobodyUsesIsClosedBeforeAnotherStarts() {
    usedOnce("kafka");

    usedOnce("nats");
    usedOnce("kafka");

    assertThat(events)
        .containsExactly(
            "kafka starts", "kafka closes", "nats starts", "nats closes", "kafka starts");
  }

  @Test
  void whatAClassUsesIsNotClosedForAnother() {
    SharedClusters.Use kafka = use("kafka");
    usedOnce("nats");

    kafka.close();
    usedOnce("sqs");

    assertThat(events)
        .containsExactly(
            "kafka starts", "nats starts", "kafka closes", "nats closes", "sqs starts");
  }

  @Test
  void theEndClosesAll() {
    use("kafka");
    usedOnce("nats");

    clusters.close();

    assertThat(events).endsWith("kafka closes", "nats closes");
  }

  private Cluster usedOnce(String name) {
    try (SharedClusters.Use use = use(name)) {
      return use.cluster();
    }
  }

  private SharedClusters.Use use(String name) {
    return clusters.use(
        name,
        () -> {
          events.add(name + " starts");
          return cluster(name);
        });
  }

  private Cluster cluster(String name) {
    return (Cluster)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Cluster.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "close" -> {
                    events.add(name + " closes");
                    yield null;
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
