package org.mqproof.conformance;

import java.util.List;

/**
 * One legal thing that clients of a queue do, by the numbers of the senders, receivers, connections
 * and queues of a {@link Program}. What is not open is opened first. Immutable.
 */
sealed interface Step {

  /** What can be opened and closed. */
  enum Kind {
    SENDER("s"),
    RECEIVER("r"),
    CONNECTION("mq");

    final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }
  }

  /** In which order deliveries are given to an ack. */
  enum Order {
    FORWARD,
    BACKWARD,
    SHUFFLED
  }

  /**
   * Messages to send.
   *
   * @param count how many
   * @param minBytes the smallest body
   * @param maxBytes the largest body; sizes in between are drawn log-uniformly
   * @param equal whether all bodies of this batch, and of others like it, are the same bytes
   * @param headers most headers of one message; how many is drawn
   * @param tooLarge how many messages above a declared limit are among them
   * @param seed for sizes and the places of those too large
   */
  record Batch(
      int count, int minBytes, int maxBytes, boolean equal, int headers, int tooLarge, int seed) {}

  /**
   * Deliveries out of those that a receiver holds.
   *
   * @param percent how many of them, 1 to 100
   * @param order in which order they are named
   * @param seed for the choice
   */
  record Pick(int percent, Order order, int seed) {}

  /** Sends a batch; {@code sendAsync} does not wait for its future. */
  record Send(int sender, Batch batch, boolean async) implements Step {}

  /** Receives once; what is returned is held. */
  record Receive(int receiver, int max, int timeoutMillis) implements Step {}

  /** Receives until so many more are held, or nothing comes for a while. */
  record Collect(int receiver, int count) implements Step {}

  /** Acks some of what is held; it is not held any more. */
  record Ack(int receiver, Pick pick, boolean awaited) implements Step {}

  /** Acks again what this receiver acked before, together with one that it holds. */
  record AckAgain(int receiver, Pick pick) implements Step {}

  /** Releases some of what is held; it is not held any more. */
  record Release(int receiver, Pick pick) implements Step {}

  /** Extends some of what is held. */
  record Extend(int receiver, Pick pick) implements Step {}

  /** Tries to ack what it holds and what another holds: refused, and nothing is acked. */
  record AckOthers(int receiver, int holder) implements Step {}

  /** Opens, unless it is open. */
  record Open(Kind kind, int index) implements Step {}

  /** Closes, if it is open. */
  record Close(Kind kind, int index) implements Step {}

  /** Lets a part of the claim period pass. */
  record Elapse(int percent) implements Step {}

  /** Deletes a queue and creates it again; its clients close before that, or afterwards. */
  record Recreate(int queue, boolean inUse) implements Step {}

  /** Receives, and is interrupted at about the moment at which a message arrives, several times. */
  record InterruptReceive(int receiver, int sender, int tries, int seed) implements Step {}

  /** Sends, and is interrupted meanwhile. */
  record InterruptSend(int sender, Batch batch, int seed) implements Step {}

  /** Breaks every live connection, where the adapter's tests can. */
  record BreakConnections() implements Step {}

  /** The same steps several times. */
  record Repeat(int times, List<Step> steps) implements Step {}

  /** Each track in a thread of its own; no two use the same sender or receiver. */
  record Parallel(List<List<Step>> tracks) implements Step {}
}
