package org.mqproof.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.MqException;

/** Against ports that take connections and say nothing, as one without TLS does to a handshake. */
class SilentServersTest {

  @Test
  @Timeout(60)
  void nobodyWaitsForEachOfThemTwice() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket one = new ServerSocket(0, 50, here);
        ServerSocket two = new ServerSocket(0, 50, here);
        ServerSocket three = new ServerSocket(0, 50, here)) {
      Duration bound = Duration.ofSeconds(3);
      Map<String, String> settings =
          Map.of(
              "addresses",
              "127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d"
                  .formatted(one.getLocalPort(), two.getLocalPort(), three.getLocalPort()),
              "connect.bound",
              bound.toSeconds() + "s",
              "tls",
              "true");
      long start = System.nanoTime();
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> new ValkeyMqProvider().connect(settings).close())
          .withMessageContaining("this port does not answer TLS");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(bound.multipliedBy(2));
    }
  }
}
