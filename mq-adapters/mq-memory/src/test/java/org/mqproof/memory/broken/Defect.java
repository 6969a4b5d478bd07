package org.mqproof.memory.broken;

import static org.mqproof.conformance.AloRule.ALO_01;
import static org.mqproof.conformance.AloRule.ALO_03;
import static org.mqproof.conformance.AloRule.ALO_04;
import static org.mqproof.conformance.AloRule.ALO_05;
import static org.mqproof.conformance.AloRule.ALO_06;
import static org.mqproof.conformance.AloRule.ALO_08;
import static org.mqproof.conformance.AloRule.ALO_09;
import static org.mqproof.conformance.AloRule.ALO_10;
import static org.mqproof.conformance.AloRule.ALO_11;
import static org.mqproof.conformance.AloRule.ALO_12;
import static org.mqproof.conformance.AloRule.ALO_13;
import static org.mqproof.conformance.AloRule.ALO_14;
import static org.mqproof.conformance.AloRule.ALO_15;
import static org.mqproof.conformance.AloRule.ALO_17;
import static org.mqproof.conformance.AloRule.ALO_18;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.mqproof.Mq;
import org.mqproof.conformance.AloRule;

/** Every broken Mq, and which rules the kit must find broken: these and no others. */
@SuppressWarnings("ImmutableEnumChecker") // functions without state, and List.of, Set.of
enum Defect {
  BATCH_CUT(
      "A batch above the client's limit is cut, and called sent",
      BrokenSenders::batchCut,
      "of1000-500",
      ALO_01),
  IGNORED_NACK(
      true,
      "What the broker refused counts as sent: the result of the confirm is not looked at",
      BrokenSenders::ignoredNack,
      "after0-0",
      ALO_03),
  SWALLOWED_PARTIAL_FAILURE(
      true,
      "A batch call succeeded, and its failed entries are not looked at",
      BrokenSenders::swallowedPartialFailure,
      "message 2",
      ALO_03),
  TIMEOUT_IS_SUCCESS(
      "A send that timed out counts as sent",
      BrokenSenders::timeoutIsSuccess,
      "nowhere0",
      ALO_03,
      ALO_18),
  ALL_REJECTED(
      "Of a batch that failed in part, all are called rejected",
      BrokenSenders::allRejected,
      "[m0, m1, m3, m4]",
      ALO_03),
  EMPTY_BODY_PADDED(
      "An empty body arrives as a terminating zero",
      BrokenSenders::emptyBodyPadded,
      "0 bytes",
      ALO_04),
  TOO_LARGE_TAKES_THE_BATCH(
      "A body too large takes the rest of its batch with it",
      BrokenSenders::tooLargeTakesTheBatch,
      "[m0, m1, m3, m4]",
      ALO_04),
  TEXT_BODIES(
      "Bodies go through a text encoding",
      BrokenSenders::textBodies,
      "differs from byte",
      ALO_04,
      ALO_17),
  CLAIMS_IN_A_RING(
      "A ring holds 64 claims; beyond that the oldest is forgotten and handed to another",
      BrokenReceivers::claimsInARing,
      "m0",
      ALO_05),
  CLOSE_KEEPS_CLAIMS(
      "Close keeps the claims until they expire", BrokenReceivers::closeKeepsClaims, "m0", ALO_06),
  AUTO_ACK(
      true,
      "Messages are acked as they are received",
      BrokenReceivers::autoAck,
      "m0",
      ALO_06,
      ALO_08),
  PENDING_NEVER_RECLAIMED(
      true,
      "Pending entries of receivers that are gone are never reclaimed",
      BrokenConnections::pendingNeverReclaimed,
      "m0",
      ALO_06,
      ALO_08),
  EXPIRY_IN_THE_WRONG_UNIT(
      "The claim period is counted in the wrong unit, and never ends",
      BrokenConnections::expiryInTheWrongUnit,
      "m0",
      ALO_08),
  LOWEST_OFFSET_COMMITTED(
      true,
      "Of a batch the lowest offset is committed",
      BrokenReceivers::lowestOffsetCommitted,
      "m2",
      ALO_09),
  OFFSET_WITHOUT_PLUS_ONE(
      true,
      "The acked offset is committed instead of the next one",
      BrokenReceivers::offsetWithoutPlusOne,
      "m0",
      ALO_09),
  COMMIT_TIMER_NEVER_DUE(
      true,
      "Acks wait for a timer that compares nanoseconds with milliseconds",
      BrokenReceivers::commitTimerNeverDue,
      "m0",
      ALO_09,
      ALO_11),
  ACKS_FORGOTTEN_ON_CLOSE(
      "Acks are written with the next receive, but not on close",
      BrokenReceivers::acksForgottenOnClose,
      "m0",
      ALO_09,
      ALO_11),
  ACK_OF_ONE_ACKS_THE_PREFIX(
      true,
      "An ack is cumulative: it settles all received before it",
      BrokenReceivers::ackOfOneAcksThePrefix,
      "m0",
      ALO_10),
  SESSION_WIDE_ACK(
      "An ack settles everything received so far",
      BrokenReceivers::sessionWideAck,
      "m9",
      ALO_06,
      ALO_10,
      ALO_11),
  DOUBLE_ACK_ACKS_THE_NEXT(
      "Acks are counted: a second one settles the next message",
      BrokenReceivers::doubleAckAcksTheNext,
      "m1",
      ALO_11),
  ACK_BY_MESSAGE(
      "A late ack settles the message for whoever holds it now",
      BrokenReceivers::ackByMessage,
      "m0",
      ALO_11),
  ANYONES_ACK(
      "A delivery of another receiver is acked like one's own",
      BrokenReceivers::anyonesAck,
      "another receiver",
      ALO_11),
  MAX_IGNORED(
      true,
      "A configured batch size is used instead of max",
      BrokenReceivers::maxIgnored,
      "receive(1, ...) returned [m0",
      ALO_12),
  WAITS_FOR_A_FULL_BATCH(
      "A full batch is waited for, up to the timeout",
      BrokenReceivers::waitsForAFullBatch,
      "after [m0] was confirmed",
      ALO_12),
  NULL_AT_THE_TIMEOUT(
      "Nothing there is null", BrokenReceivers::nullAtTheTimeout, "returned null", ALO_12),
  SWALLOWED_INTERRUPT(
      "An interrupt of receive is taken for the timeout",
      BrokenReceivers::swallowedInterrupt,
      "returned as if nothing had happened",
      ALO_13),
  WRAPPED_INTERRUPT(
      "An interrupt of send is wrapped in the client's own exception",
      BrokenSenders::wrappedInterrupt,
      "an interrupted send threw",
      ALO_13),
  SECOND_CLOSE_THROWS(
      "A second close fails",
      BrokenConnections::secondCloseThrows,
      "a second Receiver.close",
      ALO_14),
  CLOSED_SENDER_SENDS(
      "A closed sender goes on sending",
      BrokenConnections::closedSenderSends,
      "after Sender.close, send",
      ALO_14),
  THREAD_LEFT(
      "Each connection leaves a thread",
      BrokenConnections::threadLeft,
      "thread 'heartbeat'",
      ALO_14),
  CONNECTION_LEFT(
      "Each connection leaves a socket", BrokenConnections::connectionLeft, "socket:[", ALO_14),
  QUEUE_OF_ITS_CLIENTS(
      "Messages vanish when the last client has closed",
      BrokenConnections::queueOfItsClients,
      "m0",
      ALO_15),
  DEDUPLICATION_MIXES_SENDERS(
      "Deduplication does not tell the senders of a connection apart",
      BrokenSenders::deduplicationMixesSenders,
      "lost: sender",
      ALO_17),
  HANG_ON_BROKER_DEATH(
      true,
      "Send waits for ever when the broker is dead",
      BrokenSenders::hangOnBrokerDeath,
      "send hangs beyond the declared bound",
      ALO_18),
  EMPTY_LISTS_FOR_EVER(
      "A dead broker looks like an empty queue",
      BrokenReceivers::emptyListsForEver,
      "receive at memory:sick returned as if all were well",
      ALO_18),
  NAMELESS_ERROR(
      "Errors do not say what did not answer",
      BrokenConnections::namelessError,
      "does not name memory:sick",
      ALO_18),
  STALE_HANDLE_BELIEVED(
      "A service agrees to a stale receipt handle, does nothing, and is believed",
      BrokenClaims::staleHandleBelieved,
      "succeeded after they had gone to another",
      ALO_11),
  UNACKNOWLEDGED_CLAIM(
      "A claim is written without waiting for it, and one that was not stored hides nothing",
      BrokenClaims::unacknowledgedClaim,
      "were delivered again",
      ALO_05,
      ALO_09,
      ALO_17),
  CLIENT_CLOCK(
      "Each client asks its own clock whether a claim has ended",
      BrokenClaims::clientClock,
      "m0",
      ALO_05);

  final boolean ofAPublishedTool;
  final String sentence;
  final BiFunction<BrokenConnections, Mq, Mq> breaking;

  /** What the failure of each rule must at least once say: a message id, or what was called. */
  final String says;

  final Set<AloRule> kills;

  Defect(String sentence, UnaryOperator<Mq> breaking, String says, AloRule... kills) {
    this(false, sentence, (run, healthy) -> breaking.apply(healthy), says, kills);
  }

  Defect(
      boolean ofAPublishedTool,
      String sentence,
      UnaryOperator<Mq> breaking,
      String says,
      AloRule... kills) {
    this(ofAPublishedTool, sentence, (run, healthy) -> breaking.apply(healthy), says, kills);
  }

  Defect(
      String sentence,
      BiFunction<BrokenConnections, Mq, Mq> breaking,
      String says,
      AloRule... kills) {
    this(false, sentence, breaking, says, kills);
  }

  Defect(
      boolean ofAPublishedTool,
      String sentence,
      BiFunction<BrokenConnections, Mq, Mq> breaking,
      String says,
      AloRule... kills) {
    this.ofAPublishedTool = ofAPublishedTool;
    this.sentence = sentence;
    this.breaking = breaking;
    this.says = says;
    this.kills = Set.copyOf(List.of(kills));
  }

  /** What the broker does; what is declared may be something else. */
  Duration claimPeriodOfTheBroker() {
    return this == EXPIRY_IN_THE_WRONG_UNIT || this == PENDING_NEVER_RECLAIMED
        ? Duration.ofSeconds(30).multipliedBy(1_000_000)
        : Duration.ofSeconds(30);
  }

  /** Its name, as one reads it. */
  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
