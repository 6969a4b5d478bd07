package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.TrialParams;

/**
 * What follows {@code send} or {@code receive} on the command line. Immutable.
 *
 * @param role what this node does
 * @param node its name in the run; never the host's
 * @param params as JMH's {@code -p}
 * @param settings what to connect with: those of the parameters, and those of a file
 * @param queue that all nodes of the run share
 * @param run the run's number, the same on all of its nodes
 * @param firstSender number of the first sender thread here; the others follow
 * @param threads that send or receive
 * @param startMillis when all nodes begin, milliseconds since 1970; {@link #NOT_AGREED} if the
 *     start is agreed on later
 * @param startFile that will say so; null if it is agreed
 * @param warmup time that is not measured
 * @param measured time that is
 * @param idle time without a message after which a receiver has everything
 * @param bound longest time that receivers go on after the senders' end
 * @param clock where a {@link ClockServer} answers; null if clocks are not compared
 * @param directory for the files
 */
public record NodeArgs(
    Role role,
    String node,
    Map<String, String> params,
    Map<String, String> settings,
    String queue,
    int run,
    int firstSender,
    int threads,
    long startMillis,
    @Nullable Path startFile,
    Duration warmup,
    Duration measured,
    Duration idle,
    Duration bound,
    @Nullable InetSocketAddress clock,
    Path directory) {

  /** What a node does: one thing only, so that it can be the bottleneck of one thing only. */
  public enum Role {
    /** Sends as fast as it can. */
    SEND,
    /** Receives, checks and acks. */
    RECEIVE;

    String word() {
      return this == SEND ? "send" : "receive";
    }
  }

  /** What {@code --help} prints. */
  public static final String HELP =
      """
      send -p system=NAME --queue NAME [options]      one node of a run on several machines: sends
      receive -p system=NAME --queue NAME [options]   another one: receives and acks

        -p NAME=VALUE        system, settings, mode, batch, bodyBytes, async, window, receiveMax,
                             workMicros: as for the benchmarks; settings=K=V;K=V says where the
                             system runs
        --connect FILE       more settings, K=V on a line each: for passwords, which have no place
                             on a command line
        --queue NAME         the queue that all nodes share; made if it is not there
        --run N              the run's number, the same on all nodes
        --node NAME          this node's name in the run (default send-0, receive-0); no host name
        --first-sender N     number of the first sender thread here (default 0); each sender of a
                             run needs a number of its own
        --threads N          threads here, a sender or receiver each (default 1)
        --at TIME            when all nodes begin: 2026-01-31T12:00:00Z or milliseconds since 1970
                             (default: in 5 s)
        --start-file FILE    instead of --at: makes FILE.ready when this node is, and then waits for
                             FILE, in which the time is, for 15 minutes; put it there by renaming
        --warmup SECONDS     sends that are not measured, from then on (default 0)
        --seconds SECONDS    sends that are, after that (default 60)
        --idle SECONDS       receive: after the senders' end, so long without a message and all is
                             received (default 60)
        --bound SECONDS      receive: longest time after the senders' end (default 3600)
        --clock HOST:PORT    compares this machine's clock before and after, see the command clock
        --to DIR             where NAME.json and NAME.history go (default .)
      Then give the files of all nodes to the command merge.
      Exit code: 0 the node did its part, 1 it did not, 2 the command line is wrong.
      """;

  /** Stands for a start that no node knows yet. */
  static final long NOT_AGREED = 0;

  private static final Map<String, String> DEFAULTS =
      Map.of("bodyBytes", "100", "async", "false", "window", "100", "receiveMax", "1000");

  /** What a {@link TrialParams} has and only a trial in one process can do. */
  private static final List<String> IN_ONE_PROCESS =
      List.of(
          "ledger",
          "backlog",
          "prefill",
          "rate",
          "arrivals",
          "queues",
          "buildUp",
          "leadIn",
          "rttMillis",
          "awaitAcks",
          "dropPercent",
          "earlier");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final int MOST_THREADS = 10_000;
  private static final int MOST_SECONDS = 7 * 86_400;

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException with one sentence if it is wrong
   */
  public static NodeArgs of(Role role, List<String> args) {
    return of(role.word(), role, args);
  }

  /**
   * Reads the options of another command that takes these.
   *
   * @param command its name, for errors
   * @throws IllegalArgumentException with one sentence that says what is wrong
   */
  public static NodeArgs of(String command, Role role, List<String> args) {
    OptionParser parser = new OptionParser();
    OptionSpec<String> params = parser.accepts("p").withRequiredArg();
    Map<String, OptionSpec<String>> known = new LinkedHashMap<>();
    for (String name :
        List.of(
            "connect",
            "queue",
            "run",
            "node",
            "first-sender",
            "threads",
            "at",
            "start-file",
            "warmup",
            "seconds",
            "idle",
            "bound",
            "clock",
            "to")) {
      known.put(name, parser.accepts(name).withRequiredArg());
    }
    OptionSet given;
    try {
      given = parser.parse(args.toArray(String[]::new));
    } catch (OptionException e) {
      throw new IllegalArgumentException(
          "%s: %s; try %s --help".formatted(command, e.getMessage(), command), e);
    }
    if (!given.nonOptionArguments().isEmpty()) {
      throw new IllegalArgumentException(
          "%s takes options only, and not '%s'"
              .formatted(command, given.nonOptionArguments().get(0)));
    }
    Options options = new Options(given, known);
    Map<String, String> checked = params(given.valuesOf(params));
    Path startFile = startFile(options);
    return new NodeArgs(
        role,
        name(options, "node", role.word() + "-0"),
        checked,
        settings(TrialParams.of(checked), options.text("connect", "")),
        name(options, "queue", ""),
        options.number(
            "run", ThreadLocalRandom.current().nextInt(), Integer.MIN_VALUE, Integer.MAX_VALUE),
        options.number("first-sender", 0, 0, Integer.MAX_VALUE - MOST_THREADS),
        options.number("threads", 1, 1, MOST_THREADS),
        startFile == null ? start(options.text("at", "")) : NOT_AGREED,
        startFile,
        options.seconds("warmup", 0, 0),
        options.seconds("seconds", 60, 1),
        options.seconds("idle", 60, 1),
        options.seconds("bound", 3600, 1),
        clock(options.text("clock", "")),
        Path.of(options.text("to", ".")));
  }

  /** The parameters, checked. */
  public TrialParams trial() {
    return TrialParams.of(params);
  }

  /** The same, with the start that its file says. */
  NodeArgs startingAt(String agreed) {
    return new NodeArgs(
        role,
        node,
        params,
        settings,
        queue,
        run,
        firstSender,
        threads,
        start(agreed),
        null,
        warmup,
        measured,
        idle,
        bound,
        clock,
        directory);
  }

  private static Map<String, String> params(List<String> given) {
    Map<String, String> params = new LinkedHashMap<>(DEFAULTS);
    for (String param : given) {
      int equals = param.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("-p takes NAME=VALUE, and not '%s'".formatted(param));
      }
      String name = param.substring(0, equals);
      if (IN_ONE_PROCESS.contains(name)) {
        throw new IllegalArgumentException(
            "%s is for benchmarks in one process; a node has no such parameter".formatted(name));
      }
      params.put(name, param.substring(equals + 1));
    }
    return params;
  }

  private static Map<String, String> settings(TrialParams params, String file) {
    Map<String, String> settings = new LinkedHashMap<>(params.settings());
    if (!file.isEmpty()) {
      Properties more = new Properties();
      try (Reader reader = Files.newBufferedReader(Path.of(file))) {
        more.load(reader);
      } catch (IOException e) {
        throw new IllegalArgumentException("--connect: cannot read " + file, e);
      }
      more.stringPropertyNames().forEach(key -> settings.put(key, more.getProperty(key)));
    }
    return settings;
  }

  private static String name(Options options, String option, String otherwise) {
    String name = options.text(option, otherwise);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          name.isEmpty()
              ? "which %s? add --%s NAME".formatted(option, option)
              : "--%s cannot be '%s': it takes letters, digits, dots and dashes"
                  .formatted(option, name));
    }
    return name;
  }

  private static @Nullable Path startFile(Options options) {
    String file = options.text("start-file", "");
    if (!file.isEmpty() && !options.text("at", "").isEmpty()) {
      throw new IllegalArgumentException("--at or --start-file, not both");
    }
    return file.isEmpty() ? null : Path.of(file);
  }

  private static long start(String text) {
    if (text.isEmpty()) {
      return System.currentTimeMillis() + 5_000;
    }
    try {
      return text.matches("\\d{1,18}") ? Long.parseLong(text) : Instant.parse(text).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "the start cannot be '%s': it takes 2026-01-31T12:00:00Z or milliseconds since 1970"
              .formatted(text),
          e);
    }
  }

  private static @Nullable InetSocketAddress clock(String text) {
    if (text.isEmpty()) {
      return null;
    }
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("\\d{1,5}")) {
      throw new IllegalArgumentException(
          "--clock cannot be '%s': it takes HOST:PORT".formatted(text));
    }
    return new InetSocketAddress(
        text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  private record Options(OptionSet given, Map<String, OptionSpec<String>> known) {

    String text(String name, String otherwise) {
      OptionSpec<String> option = known.get(name);
      return option == null || !given.has(option) ? otherwise : given.valueOf(option);
    }

    Duration seconds(String name, int otherwise, int least) {
      return Duration.ofSeconds(number(name, otherwise, least, MOST_SECONDS));
    }

    int number(String name, int otherwise, int least, int most) {
      String text = text(name, Integer.toString(otherwise));
      try {
        int value = Integer.parseInt(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw wrong(name, text, least, most, e);
      }
      throw wrong(name, text, least, most, null);
    }

    private static IllegalArgumentException wrong(
        String name, String text, int least, int most, @Nullable Throwable cause) {
      return new IllegalArgumentException(
          "--%s cannot be '%s': it takes a whole number from %d to %d"
              .formatted(name, text, least, most),
          cause);
    }
  }
}
