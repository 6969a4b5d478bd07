package org.mqproof.activemq;

import org.junit.jupiter.api.DisplayName;

@DisplayName("ActiveMQ, send=transacted")
class ActiveMqTransactedConformanceIT extends ActiveMqConformance {

  ActiveMqTransactedConformanceIT() {
    super("transacted");
  }
}
