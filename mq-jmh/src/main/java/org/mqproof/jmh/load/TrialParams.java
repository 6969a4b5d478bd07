package org.mqproof.jmh.load;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Ledger;
import org.mqproof.spi.MqProvider;

/**
 * The benchmark's parameters, checked. Immutable.
 *
 * @param system the provider's name
 * @param settings what to connect with, {@code mode} included, without what a cluster adds
 * @param batch sizes of the batches that are sent
 * @param bodyBytes length of every body
 * @param ledger whether a verdict is wanted
 * @param async whether sends overlap
 * @param window batches of one sender that may be under way at once, if they overlap
 * @param receiveMax most messages of one receive
 * @param backlog most messages sent and not yet received
 * @param prefill messages that each receiver thread finds per iteration
 * @param leadIn messages per receiver thread and iteration, besides {@code prefill}, that are
 *     received before the rates begin
 * @param rate messages per second that all senders of an open loop send together
 * @param arrivals how an open loop spreads them
 * @param queues that senders and receivers are dealt out to in turn
 * @param workMicros time a receiver takes for each message before it acks it, microseconds
 * @param buildUp messages that pile up in each iteration before receivers begin
 * @param rttMillis round trip that is added between clients and brokers, milliseconds
 * @param awaitAcks whether a receiver waits for each ack
 * @param dropPercent share of the deliveries that are not acked, percent
 * @param earlier messages that go through the queue before the first iteration
 */
public record TrialParams(
    String system,
    Map<String, String> settings,
    BatchSizes batch,
    int bodyBytes,
    boolean ledger,
    boolean async,
    int window,
    int receiveMax,
    int backlog,
    int prefill,
    int leadIn,
    int rate,
    Arrivals arrivals,
    int queues,
    int workMicros,
    int buildUp,
    int rttMillis,
    boolean awaitAcks,
    int dropPercent,
    int earlier) {

  /** Without a ledger a body still carries the time at which it was sent. */
  static final int TIME_BYTES = Long.BYTES;

  /** The parameter that is the same for all that runs at a time. */
  public static final String RTT = "rttMillis";

  private static final int MOST = 1_000_000_000;

  /** Most messages of a receive where the benchmark only sends, and its queue is emptied. */
  private static final int DRAINED = 1_000;

  /**
   * Reads and checks a benchmark's parameters, and whether there is such a system.
   *
   * @param params values by name, as JMH has them; a benchmark has only those it uses
   * @throws IllegalArgumentException with one sentence that says what is wrong
   */
  public static TrialParams of(Map<String, String> params) {
    String system = params.getOrDefault("system", "");
    if (system.isBlank()) {
      // The look-up's own error lists what there is.
      throw new IllegalArgumentException("which system? add -p system=NAME: " + known());
    }
    MqProvider.named(system);
    Map<String, String> settings =
        new LinkedHashMap<>(SettingsText.parse("settings", params.getOrDefault("settings", "")));
    settings.putAll(SettingsText.parse("mode", params.getOrDefault("mode", "")));
    boolean ledger = bool(params, "ledger", true);
    int prefill = number(params, "prefill", 1);
    return new TrialParams(
        system,
        settings,
        BatchSizes.parse(params.getOrDefault("batch", "1..10")),
        number(params, "bodyBytes", ledger ? Ledger.STAMP_BYTES : TIME_BYTES),
        ledger,
        bool(params, "async", false),
        number(params, "window", 1),
        number(params, "receiveMax", 1, DRAINED),
        number(params, "backlog", 1),
        prefill,
        "auto".equals(params.get("leadIn")) ? prefill / 4 : number(params, "leadIn", 0),
        number(params, "rate", 1),
        Arrivals.parse(params.getOrDefault("arrivals", "constant")),
        number(params, "queues", 1),
        number(params, "workMicros", 0),
        number(params, "buildUp", 0),
        number(params, RTT, 0),
        bool(params, "awaitAcks", false),
        number(params, "dropPercent", 0),
        number(params, "earlier", 0));
  }

  private static String known() {
    try {
      MqProvider.named("");
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    throw new IllegalStateException("a provider has no name");
  }

  private static int number(Map<String, String> params, String name, int least) {
    return number(params, name, least, least);
  }

  private static int number(Map<String, String> params, String name, int least, int otherwise) {
    String text = params.getOrDefault(name, Integer.toString(otherwise));
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= MOST) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, text, least, e);
    }
    throw wrong(name, text, least, null);
  }

  private static IllegalArgumentException wrong(
      String name, String text, int least, @Nullable Throwable cause) {
    String why =
        name.equals("bodyBytes") && least == Ledger.STAMP_BYTES
            ? " (the ledger's stamp takes " + least + "; -p ledger=false goes without)"
            : "";
    return new IllegalArgumentException(
        "%s cannot be '%s': it takes a whole number from %d to %d%s"
            .formatted(name, text, least, MOST, why),
        cause);
  }

  private static boolean bool(Map<String, String> params, String name, boolean otherwise) {
    String text = params.getOrDefault(name, Boolean.toString(otherwise));
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "%s cannot be '%s': it takes true or false".formatted(name, text));
    };
  }
}
