package org.mqproof.cluster.rabbitmq;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.mqproof.cluster.container.Docker;

/**
 * Evaluates Erlang expressions in a node, each in a short-lived process. Thread-safe: no state but
 * where the program and the cookie are.
 */
final class ErlCall {

  private static final String STRING_BEGIN = "{ok, \"";
  private static final String STRING_END = "\"}";

  private final IntFunction<ProcessBuilder> program;

  /**
   * Runs nothing yet.
   *
   * @param program makes, for a node, the command line of an erl_call that finds it
   */
  ErlCall(IntFunction<ProcessBuilder> program) {
    this.program = program;
  }

  /**
   * An erl_call of this machine.
   *
   * @param program what runs it
   * @param home the directory that has the nodes' cookie
   * @param address where the node listens for other nodes
   */
  static ProcessBuilder here(List<String> program, Path home, String address) {
    List<String> words = new ArrayList<>(program);
    words.addAll(List.of("-address", address));
    ProcessBuilder command = new ProcessBuilder(words);
    RabbitNodes.clean(command.environment());
    command.environment().put("HOME", home.toString());
    return command;
  }

  /**
   * The erl_call in a container.
   *
   * @param container its name
   * @param port where the node in it listens for other nodes
   */
  static ProcessBuilder inContainer(String container, int port) {
    return new ProcessBuilder(
        Docker.command(
            "exec",
            "--interactive",
            "--user",
            "rabbitmq",
            "--env",
            "HOME=" + RabbitNodes.HOME_IN_CONTAINER,
            container,
            "erl_call",
            "-address",
            "127.0.0.1:" + port));
  }

  /**
   * Evaluates an expression whose value is a string without quotes and line ends.
   *
   * @param node 1 to the number of nodes
   * @param expression ends with a full stop
   * @param seconds most seconds it may take
   * @throws IOException what Erlang said instead of giving a string
   * @throws TimeoutException if it said nothing
   */
  String string(int node, String expression, int seconds)
      throws IOException, InterruptedException, TimeoutException {
    ProcessBuilder command = program.apply(node).redirectErrorStream(true);
    // With a name of its own: several may ask at once.
    command.command().addAll(List.of("-e", "-r", "-timeout", Integer.toString(seconds)));
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
        throw new IOException("node %d says: %s".formatted(node, answer));
      }
      return answer.substring(STRING_BEGIN.length(), answer.length() - STRING_END.length());
    } catch (ExecutionException e) {
      throw new IOException("node %d cannot be asked".formatted(node), e.getCause());
    } finally {
      process.destroyForcibly();
    }
  }

  private static String output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8).lines().reduce("", String::concat).strip();
  }
}
