package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionsTest {

  @Test
  void connectionsToThePortsEndAndNoOthers() throws Exception {
    try (ServerSocket broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket toBroker = connect(broker, 0);
        Socket atBroker = broker.accept();
        Socket toOther = connect(other, toBroker.getLocalPort());
        Socket atOther = other.accept()) {

      int ended =
          Connections.breakTo(List.of("tcp://localhost:" + broker.getLocalPort(), "secret"));
      assumeTrue(ended > 0, "only root can end connections, and not with every kernel");

      assertThat(ended).isEqualTo(1);
      assertThatIOException().isThrownBy(() -> toBroker.getInputStream().read());
      assertThatIOException().isThrownBy(() -> atBroker.getInputStream().read());
      toOther.getOutputStream().write(7);
      assertThat(atOther.getInputStream().read()).isEqualTo(7);
    }
  }

  @Test
  void withoutAConnectionNoneEnds() {
    assertThat(Connections.breakTo(List.of("localhost:1"))).isZero();
  }

  /** From a port that other connections may have, too. */
  private static Socket connect(ServerSocket server, int port) throws Exception {
    Socket socket = new Socket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(server.getInetAddress(), port));
    socket.connect(server.getLocalSocketAddress());
    socket.setSoTimeout(30_000);
    return socket;
  }
}
