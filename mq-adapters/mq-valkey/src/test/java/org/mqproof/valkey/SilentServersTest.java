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
  @Timeout(180)
  void nobodyWaitsForEachOfThemTwice() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket one = new ServerSocket(0, 50, here);
        ServerSocket two = new ServerSocket(0, 50, here);
        ServerSocket three = new ServerSocket(0, 50, here)) {
      String addresses =
          "127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d"
              .formatted(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
      requireNamed(addresses, Duration.ofSeconds(1)); // loads the classes of TLS
      Duration bound = Duration.ofSeconds(6);
      long start = System.nanoTime();
      requireNamed(addresses, bound);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(bound.multipliedBy(2));
    }
  }

  private static void requireNamed(String addresses, Duration bound) {
    Map<String, String> settings =
        Map.of("addresses", addresses, "connect.bound", bound.toSeconds() + "s", "tls", "true");
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> new ValkeyMqProvider().connect(settings).close())
        .withMessageContaining("this port does not answer TLS");
  }
}
