package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** Three nodes. */
class RabbitConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.RABBITMQ;

  @Nested
  @DisplayName("RabbitMQ, quorum queues, publisher confirms")
  class Quorum extends ClusterConformance {
    Quorum() {
      super(CLUSTER, Map.of("queue.type", "quorum"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }
  }

  @Nested
  @DisplayName("RabbitMQ, quorum queues, transactions")
  @Variant(of = Quorum.class)
  class Transactions extends ClusterConformance {
    Transactions() {
      super(CLUSTER, Map.of("queue.type", "quorum", "confirm", "transactions"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic queues of version 2, publisher confirms")
  class Classic extends ClusterConformance {
    Classic() {
      super(CLUSTER, Map.of("queue.type", "classic", "queue.version", "2"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic queues of version 1, publisher confirms")
  @Variant(of = Classic.class)
  class ClassicV1 extends ClusterConformance {
    ClassicV1() {
      super(CLUSTER, Map.of("queue.type", "classic", "queue.version", "1"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, classic mirrored queues, publisher confirms")
  @Variant(of = Classic.class)
  class Mirrored extends ClusterConformance {
    Mirrored() {
      super(CLUSTER, Map.of("queue.type", "classic-mirrored"));
    }
  }

  @Nested
  @DisplayName("RabbitMQ, queues declared as on any server of AMQP 0-9-1")
  @Variant(of = Classic.class)
  class Plain extends ClusterConformance {
    Plain() {
      super(CLUSTER, Map.of("queue.type", "plain"));
    }
  }
}
