package org.mqproof.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.spi.Settings;

/** Against a server that asks everybody for a password, and lets nobody in. */
class PasswordFileTest {

  private static final int CLEARTEXT_PASSWORD = 3;

  private final BlockingQueue<String> passwords = new LinkedBlockingQueue<>();

  @SuppressWarnings("NullAway.Init") // set before each test
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "server");
    thread.setDaemon(true);
    thread.start();
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private void serve() {
    while (true) {
      try (Socket client = server.accept();
          DataInputStream in = new DataInputStream(client.getInputStream());
          DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
        byte[] unusedStartup = in.readNBytes(in.readInt() - Integer.BYTES);
        out.writeByte('R');
        out.writeInt(2 * Integer.BYTES);
        out.writeInt(CLEARTEXT_PASSWORD);
        out.flush();
        int unusedType = in.readByte();
        byte[] password = in.readNBytes(in.readInt() - Integer.BYTES);
        passwords.add(new String(password, 0, password.length - 1, UTF_8)); // a zero ends it
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  @Test
  void isReadAgainForEachConnection(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "first");
    Primary primary =
        new Primary(
            new PostgreSqlSettings(
                Settings.of(
                    new PostgreSqlMqProvider(),
                    Map.of(
                        "addresses",
                        "127.0.0.1:" + server.getLocalPort(),
                        "password.file",
                        file.toString()))));

    assertThatExceptionOfType(SQLException.class).isThrownBy(primary::getConnection);
    assertThat(passwords.poll(30, TimeUnit.SECONDS)).isEqualTo("first");

    Files.writeString(file, "second");
    assertThatExceptionOfType(SQLException.class).isThrownBy(primary::getConnection);
    assertThat(passwords.poll(30, TimeUnit.SECONDS)).isEqualTo("second");
  }
}
