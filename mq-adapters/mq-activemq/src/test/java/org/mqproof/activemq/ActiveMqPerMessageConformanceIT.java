package org.mqproof.activemq;

import org.junit.jupiter.api.DisplayName;

@DisplayName("ActiveMQ, send=per-message")
class ActiveMqPerMessageConformanceIT extends ActiveMqConformance {

  ActiveMqPerMessageConformanceIT() {
    super("per-message");
  }
}
