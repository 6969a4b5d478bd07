package org.mqproof.activemq;

import org.junit.jupiter.api.DisplayName;

@DisplayName("ActiveMQ, send=async")
class ActiveMqAsyncConformanceIT extends ActiveMqConformance {

  ActiveMqAsyncConformanceIT() {
    super("async");
  }
}
