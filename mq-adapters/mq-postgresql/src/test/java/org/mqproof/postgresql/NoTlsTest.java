package org.mqproof.postgresql;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mqproof.MqException;

/** Against a server that has no TLS, and says so. */
class NoTlsTest {

  private static final int REQUEST_BYTES = 8;

  @Test
  void oneSentenceSaysWhatToDoAndNobodyTriesAgain() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> refuseOne(server));
      Map<String, String> settings =
          Map.of("addresses", "127.0.0.1:" + server.getLocalPort(), "tls", "true");
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> new PostgreSqlMqProvider().connect(settings).close())
          .withMessage(
              "PostgreSQL at 127.0.0.1:%d: cannot connect: The server does not support SSL.:"
                  + " this port does not answer TLS: set tls=false, or take another port",
              server.getLocalPort());
      Void unused = asked.get(30, TimeUnit.SECONDS);
    }
  }

  private static void refuseOne(ServerSocket server) {
    try (Socket client = server.accept();
        DataInputStream in = new DataInputStream(client.getInputStream())) {
      byte[] unusedRequest = in.readNBytes(REQUEST_BYTES);
      client.getOutputStream().write('N');
      client.getOutputStream().flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
