package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortsTest {

  @Test
  void blocksNeverOverlapAndLieBelowThePortsOfOutgoingConnections() {
    List<Ports> taken = new ArrayList<>();
    try {
      IntStream.range(0, 50).forEach(i -> taken.add(Ports.take()));

      assertThat(taken.stream().flatMap(PortsTest::all).toList())
          .doesNotHaveDuplicates()
          .allMatch(port -> port > 20_000 && port < 32_768);
    } finally {
      taken.forEach(Ports::close);
    }
  }

  private static Stream<Integer> all(Ports ports) {
    return IntStream.rangeClosed(1, 19).mapToObj(ports::port);
  }

  @Test
  void aBlockIsHeldUntilItIsClosedAlsoWhileNobodyUsesItsPorts() throws IOException {
    Ports ports = Ports.take();
    int lock = ports.port(1) - 1;

    assertThatThrownBy(() -> listen(lock).close()).isInstanceOf(BindException.class);
    ports.close();

    listen(lock).close();
  }

  @Test
  void aBlockWithAPortInUseIsNotTaken() throws IOException {
    Ports free = Ports.take();
    free.close();
    int first = free.port(1) - 1;

    try (ServerSocket busy = listen(first + 19)) {
      assertThat(busy.isBound()).isTrue();
      assertThat(Ports.tryTake(first)).isNull();
    }
    listen(first).close(); // and its lock was not kept
  }

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Test
  void onlyThePortsOfTheBlockAreGivenOut() {
    try (Ports ports = Ports.take()) {
      assertThatThrownBy(() -> ports.port(0)).hasMessage("index must be 1 to 19, was 0");
      assertThatThrownBy(() -> ports.port(20)).hasMessage("index must be 1 to 19, was 20");
    }
  }
}
