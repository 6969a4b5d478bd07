package org.mqproof.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Evaluates Erlang expressions in a node, each in a short-lived process. Thread-safe: no state but
 * where the program and the cookie are.
 */
final class ErlCall {

  private static final String STRING_BEGIN = "{ok, \"";
  private static final String STRING_END = "\"}";

  private final Path program;
  private final Path home;

  /**
   * Runs nothing yet.
   *
   * @param program erl_call
   * @param home the directory that has the nodes' cookie
   */
  ErlCall(Path program, Path home) {
    this.program = program;
    this.home = home;
  }

  /**
   * Evaluates an expression whose value is a string without quotes and line ends.
   *
   * @param port where the node listens for other nodes
   * @param expression ends with a full stop
   * @param seconds most seconds it may take
   * @throws IOException what Erlang said instead of giving a string
   * @throws TimeoutException if it said nothing
   */
  String string(int port, String expression, int seconds)
      throws IOException, InterruptedException, TimeoutException {
    ProcessBuilder command =
        new ProcessBuilder(
                program.toString(),
                "-address",
                "127.0.0.1:" + port,
                "-e",
                "-r", // a name of its own: several may ask at once
                "-timeout",
                Integer.toString(seconds))
            .redirectErrorStream(true);
    RabbitNodes.clean(command.environment());
    command.environment().put("HOME", home.toString());
    Process process = command.start();
    try {
      try (OutputStream input = process.getOutputStream()) {
        input.write((expression + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // It ended before it read this, and says why.
      }
      String answer =
          CompletableFuture.supplyAsync(() -> output(process)).get(seconds + 1, TimeUnit.SECONDS);
      if (!answer.startsWith(STRING_BEGIN) || !answer.endsWith(STRING_END)) {
        throw new IOException("the node at port %d says: %s".formatted(port, answer));
      }
      return answer.substring(STRING_BEGIN.length(), answer.length() - STRING_END.length());
    } catch (ExecutionException e) {
      throw new IOException("the node at port %d cannot be asked".formatted(port), e.getCause());
    } finally {
      process.destroyForcibly();
    }
  }

  private static String output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8).lines().reduce("", String::concat).strip();
  }
}
