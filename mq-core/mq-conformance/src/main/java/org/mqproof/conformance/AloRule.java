package org.mqproof.conformance;

import java.util.List;

/**
 * The rules of at-least-once delivery. Every rule is a MUST. An id is never used again for another
 * rule. Immutable.
 */
public enum AloRule {
  /** Nothing confirmed is lost. */
  ALO_01(
      "A message whose `send` returned is eventually delivered.",
      "This is what at least once means. A queue that loses one message in a million passes every"
          + " throughput benchmark.",
      Checked.KIT_AND_CRASH,
      "Batches of 1 to 1,000 messages are sent, by `send`, and by `sendAsync` with many batches"
          + " open; a sender is closed right after. Every message must be received, also when"
          + " nobody acks it for several claim periods.",
      "Look at every return value of the client's send: a boolean, a list of failed entries or a"
          + " future that nobody reads is usually the loss.",
      "Check that a batch larger than the client's own limit is split, not cut.",
      "Check that closing a sender waits for what `sendAsync` started."),
  /** Replication keeps its promise. */
  ALO_02(
      "A confirmed message survives the loss of any one node (where `Traits` says replicated).",
      "Replication that is not awaited loses what was confirmed last when the leader dies.",
      Checked.CRASH,
      "The leader is killed by SIGKILL under load; the ledger's verdict must show nothing lost.",
      "Check that the confirm is the quorum's and not the leader's alone.",
      "Check that enough replicas have to be in sync before a message is confirmed.",
      "Check that no node outside that set can be elected."),
  /** A failed send says so, message by message. */
  ALO_03(
      "`send` throws when any message of the batch was not confirmed, with a truthful outcome for"
          + " each.",
      "A caller can only send again what it knows to be missing. A swallowed partial failure is"
          + " silent loss.",
      Checked.KIT_AND_CRASH,
      "A batch has a body that is too large in its middle; a queue is deleted while a sender is"
          + " open; the broker refuses connections, or never answers. A CONFIRMED message must be"
          + " delivered, a REJECTED one never, and nothing is CONFIRMED that cannot be stored. A"
          + " future that its caller cancels changes nothing.",
      "Look at the per-message results of the client's batch call; success of the call is not"
          + " success of its entries.",
      "Check that a timeout is UNKNOWN: neither CONFIRMED nor REJECTED.",
      "Check that `sendAsync` keeps the same promise as `send`.",
      "Check that a message nobody can route is returned to the sender (`mandatory` in AMQP)."),
  /** Bodies are bytes. */
  ALO_04(
      "A body arrives byte for byte (0 bytes, all 256 values, the declared largest), and headers as"
          + " they were sent; one too large is REJECTED and harms no other.",
      "Text encodings, terminating zeros and size limits change bodies that benchmarks never look"
          + " at.",
      Checked.KIT,
      "Bodies of 0 bytes, of all 256 values, of the declared largest size, and bodies that look"
          + " like JSON, XML, text or a compressed file make the round trip. A body one byte too"
          + " large is rejected, and its neighbours arrive. Headers with random names, with names"
          + " that clients and brokers use, and with values of every kind, as many and as large as"
          + " declared, with empty and large bodies, arrive unchanged, also when a message is"
          + " delivered again; one more header, or one more byte, is rejected.",
      "Check that no body passes through a String, and that headers are not folded, trimmed, cut or"
          + " normalized.",
      "Check that the declared largest body fits the client's and the broker's limits with their"
          + " headers.",
      "Check that a body too large is found before the batch is sent, or fails alone."),
  /** A claim hides. */
  ALO_05(
      "A claimed message is hidden from every other receiver.",
      "Otherwise two workers do the same work at the same time, not only after a crash.",
      Checked.KIT,
      "Two receivers, one of which may join later, hold a whole queue unacked; no message may be"
          + " delivered to both before the claim period ends, also when hundreds are in flight and"
          + " with several connections. Claims that are extended once or repeatedly, early or late,"
          + " by the thousand, hide their messages beyond the first period.",
      "Check that receiving and claiming are one atomic step at the broker.",
      "Check that a receiver that joins does not take over what others hold unacked.",
      "Check that every receiver of a queue belongs to the same group or subscription.",
      "Check that the claim period is not shorter than declared."),
  /** Closing is giving back. */
  ALO_06(
      "Closing a receiver gives its unacked messages back.",
      "A deployment closes every receiver. The messages that they hold must not wait for a timeout,"
          + " or for ever.",
      Checked.KIT,
      "A receiver claims a few messages, or thousands, acks, releases and extends some or none, and"
          + " closes, also in an interrupted thread; so does a whole connection.",
      "Check that close ends the claims at the broker (channel, session or group membership).",
      "Check that prefetched messages that were never delivered are given back too."),
  /** So is dying. */
  ALO_07(
      "Killing a receiver's process (SIGKILL) gives its unacked messages back within the declared"
          + " bound.",
      "A process that dies cannot close.",
      Checked.CRASH,
      "A receiver in a process of its own is killed between receive and ack; the time until another"
          + " receives its messages is measured against `Traits.redeliveryBound()`.",
      "Check heartbeats and session timeouts against the declared bound.",
      "Check that pending entries of dead receivers are reclaimed by someone."),
  /** So is waiting too long. */
  ALO_08(
      "The end of the claim period, where one is declared, gives unacked messages back.",
      "A receiver that hangs neither closes nor dies.",
      Checked.KIT,
      "A receiver claims messages and lets the claim period pass, before another one calls"
          + " `receive` and while it waits there; the receiver itself receives before and after,"
          + " too. Extended claims end a period later, the others on time, and acked messages are"
          + " not delivered again.",
      "Check that expired claims are looked for, also while receivers wait.",
      "Check the units of the claim period: nanoseconds compared with milliseconds never expire."),
  /** Acked is done. */
  ALO_09(
      "After its ack completed, and without faults, a message is not delivered again - also not"
          + " after close and reconnect.",
      "An ack that completes early, or is forgotten on close, makes every deployment process"
          + " messages twice.",
      Checked.KIT,
      "Batches of several sizes are received and acked; when the acks have completed, neither this"
          + " receiver, nor another, nor one after close, reconnect and the claim period gets any"
          + " of them.",
      "Check that the future completes when the broker has the ack, not when it was queued.",
      "Check that the offset committed is the last acked one plus one, and not the lowest of a"
          + " batch.",
      "Check that a commit timer compares times of the same clock and unit.",
      "Check that close, and the loss of a partition, commit what was acked."),
  /** An ack is exact. */
  ALO_10(
      "An ack settles the named deliveries and no others, in any order, also a proper subset of a"
          + " batch.",
      "An ack that also settles its neighbours loses what a crash leaves unfinished.",
      Checked.KIT,
      "Every other message of a batch is acked, in reverse; then the receiver closes. Messages"
          + " whose ack succeeded are not delivered again, all others are.",
      "Check for \"multiple\" or cumulative acks: acking one acks all before it.",
      "Check that a session-wide acknowledge is not used for one message.",
      "Where the system knows offsets only, hold an ack back until all before it are acked."),
  /** A wrong ack is harmless. */
  ALO_11(
      "Acking twice, late, or another receiver's delivery harms no other message.",
      "Retries and slow workers do all three.",
      Checked.KIT,
      "Deliveries are acked twice, after their claim has expired and another receiver holds the"
          + " message, and by a receiver that does not own them. No other message may be affected."
          + " An ack or an extend of a claim that ended fails, for one delivery as for many. An ack"
          + " reports the outcome of each delivery that it was given, also of one given twice, and"
          + " when it is called again. A late ack does not affect the next claim, also one of the"
          + " same receiver.",
      "Check that an ack names the claim and not only the message or a position.",
      "Check that tags which count per channel are never used on another channel.",
      "Check that a broker's error on a late ack does not close the channel for all others."),
  /** Receive keeps to its arguments. */
  ALO_12(
      "`receive` returns at most `max`, as soon as something is there, an empty list at the"
          + " timeout, never null.",
      "Flow control rests on max; latency rests on the prompt return.",
      Checked.KIT,
      "Queues that are empty, filled, and filled while `receive` waits, with several `max` and"
          + " timeouts, zero and parts of a millisecond too, while other queues are busy.",
      "Check that max reaches the client; a configured batch size is not the same.",
      "Check that nothing polls at a fixed interval, and that a full batch is not waited for.",
      "Check that what exceeds max is kept for the next call."),
  /** Interrupts work. */
  ALO_13(
      "An interrupted call throws `InterruptedException` soon and loses nothing.",
      "Threads are stopped by interrupts; a swallowed one hangs the shutdown.",
      Checked.KIT,
      "A waiting `receive`, a `receive` about to return messages and a `send` are interrupted;"
          + " afterwards every message is still there. An ack, a `sendAsync` and a close in an"
          + " interrupted thread are done, or say that they failed.",
      "Check that no layer catches InterruptedException and goes on.",
      "Check that what was fetched when the interrupt came is kept or given back.",
      "Check that clients which wrap the interrupt in their own exception are translated."),
  /** Close is final, and clean. */
  ALO_14(
      "`close` is idempotent; calls afterwards throw `IllegalStateException`; no thread or"
          + " connection is left.",
      "A leak per connection brings a service down after days.",
      Checked.KIT,
      "Every call is made, everything is closed twice and called again; then the JVM's threads and"
          + " sockets are compared with those before. A close finishes the acks whose futures were"
          + " cancelled.",
      "Check that every executor, timer and client made by the connection is closed by it.",
      "Check that a failed constructor closes what it had opened.",
      "Check that closing the Mq closes its senders and receivers."),
  /** Queues are not their clients'. */
  ALO_15(
      "Messages outlive every client: all closed, reconnected, still there.",
      "A queue that is deleted with its last client is a buffer.",
      Checked.KIT,
      "Messages are sent, every connection is closed, a new one receives them all.",
      "Check for auto-delete, exclusive or temporary queues.",
      "Check that a new receiver starts at the oldest message, not at the newest."),
  /** Messages are on disk. */
  ALO_16(
      "Messages outlive a SIGKILL of the whole cluster and its restart.",
      "Power fails for all nodes at once.",
      Checked.CRASH,
      "All nodes are killed at once under load and started again; nothing confirmed may be"
          + " missing.",
      "Check that messages are persistent as well as queues.",
      "Check what a confirm waits for: memory, the operating system's cache, or the disk."),
  /** It works under competition. */
  ALO_17(
      "Competing senders and receivers: nothing lost, nothing invented; without faults nothing"
          + " duplicated.",
      "Races show only under load from several sides.",
      Checked.KIT,
      "Several senders and receivers on shared and separate connections move some thousand stamped"
          + " messages; the ledger's verdict must be clean. Of many receivers of one connection,"
          + " which all wait, each gets its message.",
      "Check what senders share: sequence numbers and buffers must not mix.",
      "Check what receivers share: a buffer between two receivers hands out twice or never.",
      "Check that deduplication tells senders apart."),
  /** A broken broker is an error. */
  ALO_18(
      "A dead, unreachable or hung broker yields an error naming the endpoint within the configured"
          + " bound; never a hang.",
      "A client that hangs for ever takes its service down with the broker, without a word in any"
          + " log.",
      Checked.KIT_AND_CRASH,
      "Every call is made against an endpoint that refuses connections and one that accepts them"
          + " and never answers, and must fail within `Traits.callBound()`; so must `sendAsync`,"
          + " and its sender's close must end.",
      "Check every blocking call of the client for one without a timeout, close included.",
      "Check that timeouts of several steps are not added up beyond the bound.",
      "Check that `receive` reports a lost connection and does not return empty lists for ever.",
      "Check that the error names host and port."),
  /** A dying sender keeps its word. */
  ALO_19(
      "A sender whose process is killed in mid-batch loses nothing that was confirmed.",
      "Confirmed means stored, whatever happens to the sender.",
      Checked.CRASH,
      "A sender in a process of its own is killed while it sends; every message that was confirmed"
          + " to it must be delivered.",
      "Check that a confirm is read from the broker and not assumed when the bytes are written."),
  /** Work goes on. */
  ALO_20(
      "After the fault heals, work continues through the same `Mq`, without a restart of the client"
          + " process (a sender or receiver that failed may have to be opened again, and says so).",
      "Brokers restart more often than services.",
      Checked.CRASH,
      "After each fault of the crash tests the same connection must send and receive again.",
      "Check that reconnecting is not given up after a number of attempts.",
      "Check that an `Mq` is not bound to the node that it first connected to."),
  /** The loss of power is not the death of processes. */
  ALO_21(
      "Messages outlive a power cut of all nodes at once (in the modes that `docs/durability.md`"
          + " says survive it).",
      "SIGKILL leaves the operating system's cache alone; a data centre without power does not."
          + " Copies that are all in memory are lost together.",
      Checked.CRASH,
      "The data of each node is on a disk of its own. All nodes are killed under load, the disks"
          + " are shut down without a flush, mounted again, and all nodes are started; nothing"
          + " confirmed may be missing.",
      "Check what a confirm waits for: the memory of several nodes, or the disks of enough of"
          + " them.",
      "Look for the setting that awaits the disk, and for what it costs."),
  /** Any legal use is covered. */
  ALO_22(
      "Any sequence of legal calls, by any number of threads and clients, keeps rules 1 to 17.",
      "Tests for known defects find known defects. Users meet sequences of calls that nobody"
          + " thought of.",
      Checked.KIT,
      "Random histories drawn from seeds, judged by a model of an at-least-once queue: several"
          + " connections, senders and receivers that open, close and reopen while others hold and"
          + " send; 1 to thousands of messages, equal ones too; bodies of every size; headers;"
          + " acks, releases and extends of any part in any order; interrupts, expiry, closing with"
          + " work under way. A failure that can be repeated is reduced and printed as a short"
          + " program.",
      "Run the printed calls by themselves, in a debugger.",
      "Look at the rule in brackets: it is the one that was broken.",
      "Replay the seed: `-Dmqproof.history=SEED@SCALE`; a failure that cannot be repeated is a"
          + " race, and its calls are printed in the order of time."),
  /** Nothing waits for ever behind a backlog. */
  ALO_23(
      "Messages that become available again (close, release, expiry) are delivered within the"
          + " bound, also while the queue is never empty.",
      "A busy queue is the normal case. Messages that one receiver gave back must not wait until"
          + " the queue is empty.",
      Checked.KIT,
      "A receiver takes some messages, a backlog of 10,000 grows behind them, and the receiver"
          + " closes or lets its claims end; another receives while a sender replaces what it"
          + " takes.",
      "Check that looking for expired claims does not come after looking for new messages.",
      "Check that messages that are given back go to the front, or at least behind the backlog of"
          + " that moment.",
      "Check the sort order and the limit of the query that looks for messages."),
  /** A queue is its own. */
  ALO_24(
      "Queues do not share messages, also if their names differ only in case, in one character or"
          + " after many characters; a queue that is deleted and created again is empty.",
      "Names that are mapped to what the system allows may collide; data that is stored outside a"
          + " queue may survive its deletion.",
      Checked.KIT,
      "Queues whose names differ by case, by `.`, `_` and `-`, by one character at the end and"
          + " after 80 characters each get their own messages; some are deleted, among them one"
          + " whose name is the beginning of others, and the others keep their messages; a queue is"
          + " deleted and created again, and what an older sender confirms afterwards is in the new"
          + " queue. An older receiver fails or belongs to the new queue; what it held is gone, and"
          + " its acks affect nothing.",
      "Check that a name is mapped to the system's without loss: no lower case, no cut, no"
          + " replacement.",
      "Check that offsets, subscriptions and deduplication tables go with the queue.",
      "Check that a client discards what it stored about a deleted queue."),
  /** A release is exact too. */
  ALO_25(
      "A released message is available at once, and no other is touched.",
      "A worker that cannot do a job now must not hold it up until its claim ends, and must not"
          + " hold up its other jobs.",
      Checked.KIT,
      "A random part of what a receiver holds is released, in any order, twice, and together with"
          + " acked deliveries; another receiver (or the same one, as `Traits.release()` says) gets"
          + " it well before a claim could end, also one that waits. The rest stays hidden and can"
          + " be acked. An ack of a released delivery fails and settles nothing; a release of a"
          + " claim that ended does not affect the next claim. One call releases thousands; what"
          + " its caller does with the future changes nothing. A message that is released"
          + " repeatedly is delivered each time.",
      "Check that a release ends one claim: not a session, not a batch, not all up to an offset.",
      "Check that a release is not an ack followed by a send: that loses, duplicates and reorders.",
      "Check that a released delivery is forgotten, so that a late ack cannot meet its successor.",
      "Check that receivers that wait are woken."),
  /** What the broker is told to do counts. */
  ALO_26(
      "A broker or a queue whose configuration breaks the guarantees is refused, and the error"
          + " names the setting.",
      "A confirm means little where the broker may drop the oldest message when a queue is full, let"
          + " messages expire, or drop them after some deliveries.",
      Checked.KIT,
      "Queues whose configuration breaks the guarantees are created without the adapter. For each"
          + " setting `createQueue`, `sender` and `receiver`, or the connection before them, must"
          + " throw an `MqException` of one line with \"SETTING is VALUE, must be ...\". Settings"
          + " that `Traits.notChecked()` declares are not tried; an adapter whose tests give no"
          + " such queue is skipped.",
      "Check that each of the three calls reads the configuration, not createQueue alone.",
      "Check that what a broker does by default counts too, where nothing was set.",
      "Check that the error names the setting as the broker's own manual does, its value, and what"
          + " to set.",
      "Declare in `Traits.notChecked()` the settings that no client can read.");

  private enum Checked {
    KIT("kit"),
    CRASH("crash tests"),
    KIT_AND_CRASH("kit, crash tests");

    private final String text;

    Checked(String text) {
      this.text = text;
    }
  }

  private final String sentence;
  private final String why;
  private final Checked checked;
  private final String how;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> lookAt;

  AloRule(String sentence, String why, Checked checked, String how, String... lookAt) {
    this.sentence = sentence;
    this.why = why;
    this.checked = checked;
    this.how = how;
    this.lookAt = List.of(lookAt);
  }

  /**
   * The rule's id.
   *
   * @return for example {@code "ALO-05"}
   */
  public String id() {
    return name().replace('_', '-');
  }

  /**
   * How binding the rule is.
   *
   * @return {@code "MUST"}
   */
  public String level() {
    return "MUST";
  }

  /**
   * The rule itself.
   *
   * @return one sentence
   */
  public String sentence() {
    return sentence;
  }

  /**
   * Why there is such a rule.
   *
   * @return a sentence or two
   */
  public String why() {
    return why;
  }

  /**
   * Whether {@link MqConformance} checks it.
   *
   * @return false if only tests that kill processes can
   */
  public boolean checkedByKit() {
    return checked != Checked.CRASH;
  }

  /**
   * Whether tests that kill processes check it.
   *
   * @return false if the kit alone does
   */
  public boolean checkedByCrashTests() {
    return checked != Checked.KIT;
  }

  /**
   * Where it is checked.
   *
   * @return {@code "kit"}, {@code "crash tests"} or {@code "kit, crash tests"}
   */
  public String checkedIn() {
    return checked.text;
  }

  /**
   * How it is checked.
   *
   * @return a sentence or two
   */
  public String how() {
    return how;
  }

  /**
   * What to look at if the check fails.
   *
   * @return the likely causes, most likely first
   */
  public List<String> lookAt() {
    return lookAt;
  }

  @Override
  public String toString() {
    return id();
  }
}
