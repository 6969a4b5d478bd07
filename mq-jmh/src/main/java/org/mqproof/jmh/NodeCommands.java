package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.jmh.nodes.ClockServer;
import org.mqproof.jmh.nodes.Merge;
import org.mqproof.jmh.nodes.MergeArgs;
import org.mqproof.jmh.nodes.NodeArgs;
import org.mqproof.jmh.nodes.NodeRun;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.spi.MqProvider;

/** The commands of a run on several machines. For one thread. */
final class NodeCommands {

  private static final String DELETE_QUEUE_HELP =
      """
      delete-queue -p system=NAME -p settings=K=V;K=V --queue NAME
      takes away the queue that the nodes of a run on several machines shared
      """;

  private static final String CLOCK_HELP =
      "clock PORT SECONDS: tells the nodes of a run what time it is here, by UDP, so long";

  private final PrintStream out;

  NodeCommands(PrintStream out) {
    this.out = out;
  }

  /** Sends or receives. */
  Command node(NodeArgs.Role role) {
    return args -> node(role, args);
  }

  /** Takes away the queue that the nodes shared. */
  Command deleteQueue() {
    Command command = this::deleteQueue;
    return command.withHelp(DELETE_QUEUE_HELP, out).onFiles();
  }

  /** Tells other nodes what time it is here. */
  Command clock() {
    Command command = this::clock;
    return command.withHelp(CLOCK_HELP + System.lineSeparator(), out).onFiles();
  }

  /** Puts together what the nodes left. */
  Command merge() {
    Command command = args -> Command.exitCode(Merge.run(MergeArgs.of(args), out));
    return command.withHelp(MergeArgs.HELP, out).onFiles();
  }

  private int node(NodeArgs.Role role, List<String> args) throws UsageException, IOException {
    NodeArgs asked;
    String metrics;
    try {
      asked = NodeArgs.of(role, args);
      metrics = LiveMetrics.asked();
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    return Command.exitCode(NodeRun.run(asked, metrics, out));
  }

  private int deleteQueue(List<String> args) {
    NodeArgs asked = NodeArgs.of("delete-queue", NodeArgs.Role.SEND, args);
    String system = asked.trial().system();
    try (Mq mq = MqProvider.named(system).connect(asked.settings())) {
      mq.deleteQueue(asked.queue());
    } catch (MqException e) {
      throw new IllegalArgumentException(system + ": " + e.getMessage(), e);
    }
    out.println("deleted " + asked.queue());
    return Command.PROVEN;
  }

  private int clock(List<String> args) throws IOException {
    if (args.size() != 2 || !args.stream().allMatch(arg -> arg.matches("\\d{1,7}"))) {
      throw new IllegalArgumentException(CLOCK_HELP);
    }
    WallClock clock = WallClock.now();
    int port = Integer.parseInt(args.get(0));
    try (ClockServer server = new ClockServer(new InetSocketAddress(port), clock::epochNanos)) {
      server.serve(Duration.ofSeconds(Long.parseLong(args.get(1))));
    }
    return Command.PROVEN;
  }
}
