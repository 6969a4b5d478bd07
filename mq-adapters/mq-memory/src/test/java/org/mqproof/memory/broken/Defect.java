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
import static org.mqproof.conformance.AloRule.ALO_23;
import static org.mqproof.conformance.AloRule.ALO_24;
import static org.mqproof.conformance.AloRule.ALO_25;
import static org.mqproof.conformance.AloRule.ALO_26;

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
      ALO_01,
      ALO_03),
  LAST_PAGE_OF_ONE_FORGOTTEN(
      "A batch goes in pages of 256, and a last page of one message is forgotten",
      BrokenSenders::lastPageOfOneForgotten,
      "of257-256",
      ALO_01),
  BATCH_COUNTED_IN_16_BITS(
      "The length of a batch is written in 16 bits, and the rest counts as sent",
      BrokenSenders::countedIn16Bits,
      "were not delivered",
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
      "too large to be stored",
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
      "were called REJECTED and delivered",
      ALO_03),
  EMPTY_BODY_PADDED(
      "An empty body arrives as a terminating zero",
      BrokenSenders::emptyBodyPadded,
      "0 bytes",
      ALO_04),
  BODIES_SHARED(
      "What a receiver writes into a body is in the next delivery of its connection",
      BrokenQueues::bodiesShared,
      "came again as",
      ALO_04),
  TOO_LARGE_TAKES_THE_BATCH(
      "A body too large takes the rest of its batch with it",
      BrokenSenders::tooLargeTakesTheBatch,
      "[m5-",
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
      ALO_09,
      ALO_11),
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
      "was confirmed",
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
  THREAD_OF_A_SENDER(
      "A sender has a thread that its own close ends, and the connection's does not",
      BrokenConnections::threadOfASender,
      "thread 'flusher'",
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
      ALO_01,
      ALO_03,
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
      ALO_05),
  OUTCOMES_REVERSED(
      "The outcomes of a batch are told last first",
      BrokenBatches::outcomesReversed,
      "too large",
      ALO_03),
  OUTCOMES_SHIFTED_IN_A_CHUNK(
      "From the second chunk of ten on, outcomes are shifted by one",
      BrokenBatches::outcomesShiftedInAChunk,
      "too large",
      ALO_03),
  FIRST_FAILURE_ONLY(
      "Of several failures in a batch the first is told",
      BrokenBatches::firstFailureOnly,
      "too large and was called CONFIRMED",
      ALO_03),
  OUTCOMES_OF_THE_FIRST_THOUSAND(
      "Outcomes beyond the first thousand repeat those of the first",
      BrokenBatches::outcomesOfTheFirstThousand,
      "too large",
      ALO_03),
  ASYNC_CONFIRMS_ANYTHING(
      "The future of sendAsync completes when the request is written",
      BrokenBatches::asyncConfirmsAnything,
      "after0-0",
      ALO_03),
  EQUAL_BODIES_DROPPED(
      "A body that was there before is taken for a retry, and dropped",
      BrokenBatches::equalBodiesDropped,
      "with the body 'same'",
      ALO_01),
  EQUAL_BATCHES_DROPPED(
      "A batch that is equal to one before is taken for a retry, and dropped",
      BrokenBatches::equalBatchesDropped,
      "with the body 'same'",
      ALO_01),
  CUT_AT_THE_LARGEST_REQUEST(
      "What of a batch is beyond 2 MiB in all is not written",
      BrokenBatches::cutAtTheLargestRequest,
      "of one batch of",
      ALO_01),
  LONG_BODIES_END_AT_A_ZERO(
      "A body of 1,000 bytes and more ends at its first zero",
      BrokenBatches::longBodiesEndAtAZero,
      "drawn bytes",
      ALO_04),
  MIDDLE_SIZES_GARBLED(
      "Bodies of 64 to 128 KiB are garbled, smaller and larger ones not",
      BrokenBatches::middleSizesGarbled,
      "drawn bytes",
      ALO_04),
  ASYNC_CHUNKS_OVERTAKE(
      "The second half of a large asynchronous batch overtakes the first",
      BrokenBatches::asyncChunksOvertake,
      "") {
    @Override
    String breaksContract() {
      return "order";
    }
  },
  LARGE_RECEIVES_REORDER(
      "A receive of more than 500 messages does not keep their order",
      BrokenWaits::largeReceivesReorder,
      "") {
    @Override
    String breaksContract() {
      return "order";
    }
  },
  REOPENED_SENDER_COUNTS_FROM_ZERO(
      "A sender opened after another closed counts from zero, and is taken for it",
      BrokenBatches::reopenedSenderCountsFromZero,
      "life1-",
      ALO_01,
      ALO_17),
  CREATED_TOGETHER_GOES_ASTRAY(
      "Who creates a queue while another does writes to a queue that nobody reads",
      BrokenQueues::createdTogetherGoesAstray,
      "creator",
      ALO_01),
  OPENED_TOGETHER_IGNORED(
      "Of two senders opened at the same time one is ignored",
      BrokenBatches::openedTogetherIgnored,
      "opened at the same time",
      ALO_17),
  SHARED_BUFFER(
      "The senders of a connection share a buffer without a lock",
      BrokenBatches::sharedBuffer,
      "lost: sender",
      ALO_03,
      ALO_17),
  SENDER_CLOSE_DROPS(
      "Closing a sender drops what is not written, and calls it sent",
      BrokenBatches::senderCloseDrops,
      "batch",
      ALO_01,
      ALO_13),
  CONNECTION_CLOSE_DROPS(
      "Closing the connection drops what is not written, and calls it sent",
      BrokenBatches::connectionCloseDrops,
      "batch",
      ALO_01,
      ALO_03),
  CONNECTION_CLOSE_REJECTS(
      "Closing the connection calls rejected what is on its way",
      BrokenBatches::connectionCloseRejects,
      "were REJECTED while the connection closed",
      ALO_03),
  CONNECTION_CLOSE_FORGETS(
      "Closing the connection leaves futures open for ever",
      BrokenBatches::connectionCloseForgets,
      "nobody knows the outcome",
      ALO_01,
      ALO_03),
  ALL_IF_AS_MANY_AS_HELD(
      "An ack of as many as are held is taken for an ack of all that are held",
      BrokenAcks::allIfAsManyAsHeld,
      "an ack that named",
      ALO_11),
  ACK_CUT_AT_256(
      "Of an ack of more than 256 messages the rest is dropped",
      healthy -> BrokenAcks.cutAbove(healthy, 256),
      "m",
      ALO_09,
      ALO_10),
  ACK_CUT_AT_1000(
      "Of an ack of more than 1,000 messages the rest is dropped",
      healthy -> BrokenAcks.cutAbove(healthy, 1_000),
      "m",
      ALO_09),
  ACK_CUT_ABOVE_16_BITS(
      "Of an ack of more than 65,535 messages the rest is dropped",
      healthy -> BrokenAcks.cutAbove(healthy, 65_535),
      "after one ack of",
      ALO_09),
  LARGE_ACK_FAILS(
      "An ack of more than 2,000 messages fails, and settles nothing",
      BrokenAcks::manyFail,
      "too many entries",
      ALO_09),
  ACKS_LOST_BY_CONNECTION_CLOSE(
      "Closing a receiver writes its last acks, closing the connection does not",
      BrokenAcks::lostByConnectionClose,
      "m0",
      ALO_09,
      ALO_10,
      ALO_11),
  FORGOTTEN_ON_RECONNECT(
      "What a connection has acked comes back when it closes",
      BrokenAcks::forgottenOnReconnect,
      "after close and reconnect",
      ALO_09,
      ALO_10),
  ONE_IN_TEN_COMES_AGAIN(
      "One message in ten comes again although it was acked",
      BrokenAcks::oneInTenComesAgain,
      "delivered again",
      ALO_09,
      ALO_17),
  SETTLES_BY_BODY(
      "An ack settles every message with the same body",
      BrokenAcks::settlesByBody,
      "with the body 'same'",
      ALO_10,
      ALO_11),
  EQUAL_BODIES_SHARE_A_CLAIM(
      "Claims are kept by body: of equal ones the last is settled",
      BrokenAcks::equalBodiesShareAClaim,
      "with the body 'same'",
      ALO_09,
      ALO_10,
      ALO_11),
  CLAIMS_PER_CONNECTION(
      "Closing one receiver ends the claims of its whole connection",
      BrokenWaits::claimsPerConnection,
      "were held by one receiver when another closed",
      ALO_05),
  CLAIM_ENDS_AT_TWO_THIRDS(
      "A claim ends at 63 % of its declared period",
      BrokenConnections::claimsEndEarly, "the claim period is PT30S", ALO_05),
  CLAIM_ENDS_AT_FOUR_FIFTHS(
      "A claim ends at four fifths of its declared period",
      BrokenConnections::claimsEndEarly,
      "the claim period is PT30S",
      ALO_05),
  STALE_FETCH(
      "What was fetched ahead is handed out however old its claim is",
      BrokenWaits::staleFetch,
      "was handed out",
      ALO_05),
  SHORT_CLAIMS_KEPT_ON_CLOSE(
      "Close keeps the claims, which end within a second anyway",
      BrokenReceivers::closeKeepsClaims,
      "m0",
      ALO_06),
  GIVES_BACK_TO_SENDERS(
      "A receiver gives back only while a sender of its queue is open",
      BrokenConnections::givesBackToSenders,
      "m0",
      ALO_06),
  DROPPED_AFTER_FIVE_DELIVERIES(
      "A message, known by its body, is dropped when that was given back five times",
      BrokenClaims::droppedAfterFiveDeliveries,
      "was given back 5 times",
      ALO_06,
      ALO_10),
  CONNECTION_CLOSE_KEEPS_CLAIMS(
      "Closing a receiver ends its claims, closing the connection does not",
      BrokenCloses::connectionCloseKeepsClaims,
      "m0",
      ALO_06,
      ALO_10),
  EXPIRY_WITHIN_THE_CONNECTION(
      "Claims that end are offered to receivers of the same connection alone",
      BrokenConnections::expiryWithinTheConnection,
      "connection",
      ALO_08,
      ALO_11),
  POLLS_AT_AN_INTERVAL(
      "An empty queue is looked at every 0.7 s",
      BrokenWaits::pollsAtAnInterval,
      "late after a message was confirmed",
      ALO_12),
  BACKS_OFF(
      "The longer a receive waits, the less often it looks",
      BrokenWaits::backsOff,
      "late after a message was confirmed",
      ALO_12),
  LARGE_MAX_FINDS_NOTHING(
      "A max above 10,000 overflows, and asks for nothing",
      BrokenWaits::largeMaxFindsNothing,
      "receive(10001, ...)",
      ALO_12),
  LONG_TIMEOUTS_OVERFLOW(
      "A timeout of more than 24 days overflows, and finds nothing",
      BrokenWaits::longTimeoutsOverflow,
      "ended without a message",
      ALO_12),
  ONE_SIGNAL_FOR_A_BATCH(
      "Of several receivers that wait a batch wakes one",
      BrokenWaits::oneSignalForABatch,
      "got none within",
      ALO_12),
  ZERO_FINDS_NOTHING(
      "A timeout of zero finds nothing", BrokenWaits::zeroFindsNothing, "receive(1, 0)", ALO_12),
  GIVES_UP_EARLY(
      "A receive ends at half of its timeout", BrokenWaits::givesUpEarly, "gave up after", ALO_12),
  INTERRUPT_DROPS_THE_BATCH(
      "An interrupt that comes after the messages were taken throws them away",
      BrokenWaits::interruptDropsTheBatch,
      "were lost by one of",
      ALO_13),
  INTERRUPT_AT_ARRIVAL_DROPS_THE_BATCH(
      "An interrupt at the moment of arrival throws the messages away",
      BrokenWaits::interruptAtArrivalDropsTheBatch,
      "were lost by one of",
      ALO_13),
  TWO_CLOSERS_MEET(
      "Closing a connection from two threads at once fails",
      BrokenCloses::twoClosersMeet,
      "Mq.close by four threads",
      ALO_14),
  OPENED_WHILE_CLOSING_WORKS_ON(
      "What is opened while the connection closes is missed, and works on",
      BrokenCloses::openedWhileClosingWorksOn,
      "opened while Mq.close ran",
      ALO_14),
  OPENED_WHILE_CLOSING_LEAVES_A_THREAD(
      "What is opened while the connection closes is missed, and leaves a thread",
      BrokenCloses::openedWhileClosingLeavesAThread,
      "thread 'heartbeat'",
      ALO_14),
  CLOSE_WAITS_FOR_RECEIVE(
      "Closing the connection waits for a receive to end by itself",
      BrokenCloses::closeWaitsForReceive,
      "Mq.close by four threads still waits",
      ALO_14),
  NEW_MESSAGES_FIRST(
      "What comes back waits until there is nothing new",
      BrokenWaits::newMessagesFirst,
      "abandoned0",
      ALO_23),
  NAMES_IN_LOWER_CASE(
      "Names of queues are made lower case", BrokenQueues::namesInLowerCase, "of others", ALO_24) {
    @Override
    String breaksContract() {
      return "createQueue('"; // the sign of Kelvin becomes a letter
    }
  },
  NAMES_CUT(
      "Names of queues are cut after 80 characters", BrokenQueues::namesCut, "of others", ALO_24),
  DOTS_REPLACED(
      "Dots in names of queues become underscores",
      BrokenQueues::dotsReplaced,
      "of others",
      ALO_24),
  CREATION_REMEMBERED(
      "A connection does not create again what it created, although another deleted it",
      BrokenQueues::creationRemembered,
      "the queue cannot be used",
      ALO_24),
  POSITION_OUTLIVES_THE_QUEUE(
      "A queue made again starts where the deleted one had been read to",
      BrokenQueues::positionOutlivesTheQueue,
      "again0",
      ALO_24),
  DELETE_KEEPS_MESSAGES(
      "A queue made again has the messages of the deleted one",
      BrokenQueues::deleteKeepsMessages,
      "deleted",
      ALO_24),
  HEADERS_DROPPED("Headers are not sent", BrokenHeaders::dropped, "not there", ALO_04),
  HEADERS_SWAPPED(
      "Each message of a batch has the headers of its neighbour",
      BrokenHeaders::swapped,
      "was sent with",
      ALO_04),
  HEADER_VALUES_CUT(
      "The value of a header is cut after 255 characters",
      BrokenHeaders::valuesCut,
      "of 255 characters",
      ALO_04),
  HEADER_NAMES_FOLDED(
      "Names of headers are folded to lower case",
      BrokenHeaders::namesFolded,
      "trace.state_",
      ALO_04),
  HEADERS_LOST_ON_REDELIVERY(
      "A message that comes again has no headers",
      BrokenHeaders::lostOnRedelivery,
      "arrived with 0",
      ALO_04),
  TOO_MANY_HEADERS_CUT(
      "Of more headers than the system carries the rest is left out",
      BrokenHeaders::tooManyCut,
      "with 101 headers was confirmed",
      ALO_04),
  RELEASE_DOES_NOTHING(
      "A released message comes when its claim would have ended anyway",
      BrokenReleases::releaseDoesNothing,
      "were released and did not come",
      ALO_25),
  RELEASE_OF_ALL(
      "A release gives back all that is held",
      BrokenReleases::releaseOfAll,
      "and not released",
      ALO_25),
  RELEASE_SETTLES(
      "A release settles: the message is lost",
      BrokenReleases::releaseSettles,
      "were released and did not come",
      ALO_06,
      ALO_25),
  RELEASE_DUPLICATES(
      "A release also sends the message to the end of the queue",
      BrokenReleases::releaseDuplicates,
      "came",
      ALO_24,
      ALO_25),
  RELEASE_WAKES_NOBODY(
      "A receiver that waits does not get what another releases",
      BrokenReleases::releaseWakesNobody,
      "still waits for it",
      ALO_25),
  EXTEND_DOES_NOTHING(
      "An extended claim ends at its first end",
      BrokenReleases::extendDoesNothing,
      "extend",
      ALO_05,
      ALO_11),
  EXTEND_OF_ALL(
      "An extend makes every claim of the receiver last longer",
      BrokenReleases::extendOfAll,
      "in which others had been extended",
      ALO_08),
  EXTEND_FOR_EVER(
      "An extended claim never ends",
      BrokenReleases::extendForEver,
      "that began as they were extended",
      ALO_06,
      ALO_08,
      ALO_11,
      ALO_25),
  ACK_OUTCOMES_REVERSED(
      "The outcomes of an ack are told last first",
      BrokenReleases::outcomesReversed,
      "the outcomes were",
      ALO_11),
  ACK_OUTCOMES_UNKNOWN(
      "An ack that fails in part calls every outcome unknown",
      BrokenReleases::outcomesUnknown,
      "the outcomes were",
      ALO_11),
  FAILED_ACK_NEVER_AGAIN(
      "What was given to an ack that failed counts as acked, and is not tried again",
      BrokenReleases::failedAckNeverAgain,
      "succeeded, although some claims had ended",
      ALO_11),
  ENDED_SEND_DROPPED(
      "A sendAsync whose future its caller cancels is not sent",
      BrokenReleases::endedSendDropped,
      "after the caller cancelled or completed the futures",
      ALO_03),
  ENDED_ACK_DROPPED(
      "An ack whose future its caller cancels is not written",
      BrokenReleases::endedAckDropped,
      "and they came again",
      ALO_14),
  BATCH_WAKES_ONE(
      "A batch wakes one of the receivers that wait, however many messages it has",
      BrokenWakes::batchWakesOne,
      "receivers waited for as many messages",
      ALO_12),
  CLOSE_WAKES_NOBODY(
      "What a receiver gives back as it closes wakes nobody who waits",
      BrokenWakes::closeWakesNobody,
      "after another closed that held m0",
      ALO_06),
  EXPIRY_WAKES_NOBODY(
      "A message whose claim ends wakes nobody who waits",
      BrokenWakes::expiryWakesNobody,
      "connection waits on at the end of the claim period",
      ALO_08),
  DELETION_ENDS_NO_WAIT(
      "A receiver that waits while its queue is deleted waits on",
      BrokenWakes::deletionEndsNoWait,
      "") {
    @Override
    String breaksContract() {
      return "one that waits";
    }
  },
  CLAIM_BEGINS_WITH_THE_CALL(
      "A claim begins with the call that waited for the message",
      BrokenClaims::claimBeginsWithTheCall,
      "m0 was handed out",
      ALO_05),
  LOOKING_RENEWS_CLAIMS(
      "Who looks for more again and again keeps all that is held",
      BrokenClaims::lookingRenewsClaims,
      "looked for more all the time",
      ALO_08),
  MISSING_FOR_EVER(
      "A connection that missed a queue misses it for ever",
      BrokenConnections::missingForEver,
      "") {
    @Override
    String breaksContract() {
      return "the connection that missed it";
    }
  },
  CHANNELS_LEAK(
      "Closed senders and receivers keep their channels, of which there are 2,047",
      BrokenConnections::channelsLeak,
      "no other can be opened",
      ALO_14),
  ACKS_SHARE_A_FUTURE(
      "Acks that come within a moment share a future, which one caller cancels for all",
      BrokenAcks::acksShareAFuture,
      "were cancelled by their caller",
      ALO_11),
  ACK_EATS_THE_INTERRUPT(
      "An ack takes the interrupt of its thread away",
      BrokenAcks::ackEatsTheInterrupt,
      "took the interrupt away",
      ALO_13),
  LARGE_BATCH_OVERTAKEN(
      "A large asynchronous batch is overtaken by what is sent after it",
      BrokenBatches::largeBatchOvertaken,
      "") {
    @Override
    String breaksContract() {
      return "order";
    }
  },
  MORE_IN_FLIGHT_THAN_DECLARED(
      "A receiver that is declared to hold 100 deliveries gets as many as it asks for",
      BrokenReceivers::moreInFlightThanDeclared,
      "") {
    @Override
    String breaksContract() {
      return "deliveries that a receiver holds";
    }
  },
  ATTEMPT_STUCK_AT_ONE("Every delivery is called the first", BrokenHeaders::attemptStuckAtOne, "") {
    @Override
    String breaksContract() {
      return "attempt";
    }
  },
  ATTEMPT_FROM_ZERO("Attempts are counted from zero", BrokenHeaders::attemptFromZero, "") {
    @Override
    String breaksContract() {
      return "attempt";
    }
  },
  HEADER_VALUES_COMPOSED(
      "Values of headers are normalized to Unicode's composed form",
      BrokenHeaders::valuesComposed,
      "was sent with",
      ALO_04),
  HEADERS_OF_EMPTY_BODIES_LOST(
      "A message without a body arrives without headers",
      BrokenHeaders::lostWithAnEmptyBody,
      "not there",
      ALO_04),
  BUFFER_REUSED(
      "A receiver fills the bodies that it has handed out with those that it receives later",
      BrokenRepeats::bufferReused,
      "a body that was received as",
      ALO_04),
  DROPPED_AFTER_THREE_PERIODS(
      "What nobody acked for three claim periods is dropped",
      BrokenClaims::droppedAfterThreePeriods,
      "m0",
      ALO_01),
  CLAIM_ENDS_A_TENTH_EARLY(
      "A claim ends at nine tenths of its declared period",
      BrokenConnections::claimsEndEarly,
      "the claim period is PT30S",
      ALO_05),
  SECOND_EXTEND_IGNORED(
      "A claim is extended once; a second extend does nothing",
      BrokenRepeats::secondExtendIgnored,
      "and came again",
      ALO_05),
  EXTEND_WITH_AN_ACKED_ONE_IGNORED(
      "An extend that names an acked delivery too extends none",
      BrokenRepeats::extendWithAnAckedOneIgnored,
      "and came again",
      ALO_05),
  ENDED_EXTEND_DROPPED(
      "An extend whose future its caller cancels is not made",
      BrokenRepeats::endedExtendDropped,
      "extend",
      ALO_05),
  EXTENDS_ADD_UP(
      "Each extend adds a period to the end of the claim",
      BrokenRepeats::extendsAddUp,
      "that began as they were extended",
      ALO_08),
  EXTEND_LEAVES_A_THREAD(
      "Each extend leaves a thread",
      BrokenRepeats::extendLeavesAThread,
      "thread 'lease keeper'",
      ALO_14),
  CLOSE_GIVES_BACK_500(
      "A close gives back 500 messages, the others when their claims end",
      BrokenRepeats::closeGivesBack500,
      "did not come back in",
      ALO_06),
  RELEASE_CUT_AT_1000(
      "Of a release of more than 1,000 messages the rest is dropped",
      BrokenRepeats::releaseCut,
      "after one call released them",
      ALO_25),
  ENDED_RELEASE_DROPPED(
      "A release whose future its caller cancels is not made",
      BrokenRepeats::endedReleaseDropped,
      "cancelled or completed the futures",
      ALO_25),
  RELEASED_BEFORE_THE_CHECK(
      "A release that is refused for one delivery has released those before it",
      BrokenRepeats::releasedBeforeTheCheck,
      "were in a release that was refused",
      ALO_25),
  RELEASE_BY_MESSAGE(
      "A late release ends the claim of whoever holds the message now",
      BrokenRepeats::releaseByMessage,
      "m0",
      ALO_25),
  LATE_ACK_OF_ONE_IS_DONE(
      "A late ack of one delivery is called done, and does nothing",
      BrokenRepeats::lateAckOfOneIsDone,
      "succeeded after they had gone to another",
      ALO_11),
  OUTCOMES_OF_DISTINCT_DELIVERIES(
      "A delivery that an ack names twice has one outcome",
      BrokenRepeats::outcomesOfDistinct,
      "outcomes for",
      ALO_11),
  CLOSED_RECEIVERS_ACK(
      "An ack of what a receiver got that has closed is taken by the next one",
      BrokenRepeats::closedReceiversAck,
      "which a receiver got that has closed",
      ALO_11),
  NINTH_RECEIVER_IS_DEAF(
      "The ninth receiver that a connection has open gets nothing",
      BrokenRepeats::ninthReceiverIsDeaf,
      "receiver 9 of",
      ALO_17),
  DELETE_TAKES_CHILDREN(
      "Deleting a queue also deletes those whose names begin with its name and a dot",
      BrokenQueues::deleteTakesChildren,
      "were deleted",
      ALO_24),
  DELETE_BY_PATTERN(
      "The name of a queue to delete is taken for a pattern",
      BrokenQueues::deleteByPattern,
      "were deleted",
      ALO_24),
  OLD_SENDER_FEEDS_A_GHOST(
      "A sender of a deleted queue that is made again confirms what nobody can receive",
      BrokenQueues::oldSenderFeedsAGhost,
      "made again had",
      ALO_24),
  CONFIGURATION_NOT_LOOKED_AT(
      "Nobody asks whether the broker drops messages of a queue that is full",
      BrokenPromises::notLookedAt,
      "createQueue took queue",
      ALO_26),
  CONFIGURATION_LOOKED_AT_BY_CREATE_ALONE(
      "A queue that drops messages is refused to who creates it, and not to its sender",
      BrokenPromises::lookedAtByCreateAlone,
      "sender took queue",
      ALO_26),
  SETTING_WITHOUT_ITS_VALUE(
      "The refusal of a queue names the setting, and not its value",
      BrokenPromises::valueNotNamed,
      "'max-length is 10, must be ...'",
      ALO_26),
  SETTING_WITHOUT_A_REMEDY(
      "The refusal of a queue does not say what to set",
      BrokenPromises::remedyNotNamed,
      "'max-length is 10, must be ...'",
      ALO_26),
  LINE_FEED_AT_THE_END(
      "A queue's name may end with a line feed", BrokenQueues::lineFeedAtTheEnd, "") {
    @Override
    String breaksContract() {
      return "createQueue('";
    }
  },
  CREATE_ENDS_CLAIMS(
      "Creating a queue that exists ends the claims on its messages",
      BrokenQueues::createEndsClaims,
      "") {
    @Override
    String breaksContract() {
      return "ack of what was held meanwhile";
    }
  },
  ATTEMPT_STOPS_AT_THREE(
      "Attempts are counted up to three", BrokenHeaders::attemptStopsAtThree, "") {
    @Override
    String breaksContract() {
      return "attempt";
    }
  },
  ATTEMPT_GROWS_WITH_EXTENDS(
      "The attempt of a delivery grows when it is extended",
      BrokenHeaders::attemptGrowsWithExtends,
      "") {
    @Override
    String breaksContract() {
      return "attempt of each delivery, asked again";
    }
  },
  ATTEMPTS_OF_THE_QUEUE(
      "Attempts are counted for all messages together", BrokenHeaders::attemptsOfTheQueue, "") {
    @Override
    String breaksContract() {
      return "attempt";
    }
  },
  PART_OF_A_MILLISECOND_WAITS(
      "A timeout of part of a millisecond is taken for none",
      BrokenCorners::partOfAMillisecondWaits,
      "on an empty queue still waits",
      ALO_12),
  TIMEOUT_BEGINS_AGAIN(
      "What wakes a receiver that waits starts its timeout anew",
      BrokenCorners::timeoutBeginsAgain,
      "while messages are sent to another queue",
      ALO_12),
  WAITS_USE_UP_THE_POOL(
      "The fifth receive that waits on a connection waits for another to end",
      BrokenCorners::waitsUseUpThePool,
      "did not get a message that was sent to it",
      ALO_17),
  LIST_REUSED(
      "A receiver fills the list that it has returned with what it receives later",
      BrokenCorners::listReused,
      "a list that receive had returned",
      ALO_04),
  LIST_OF_A_BATCH_KEPT(
      "What exceeds the client's largest batch is read from the list later",
      BrokenCorners::listOfABatchKept,
      "",
      ALO_01),
  LIST_OF_AN_ACK_KEPT(
      "An ack is written a little later, from the caller's list",
      BrokenCorners::listOfAnAckKept,
      "after the list of their ack was emptied",
      ALO_09),
  INTERRUPTED_CLOSE_KEEPS_CLAIMS(
      "A close in an interrupted thread gives nothing back",
      BrokenCorners::interruptedCloseKeepsClaims,
      "an interrupted thread closed their receiver",
      ALO_06),
  INTERRUPTED_ACK_DROPPED(
      "An ack in an interrupted thread is called done, and does nothing",
      BrokenCorners::interruptedAckDropped,
      "an interrupted thread acked",
      ALO_13),
  INTERRUPTED_SEND_ASYNC_DROPPED(
      "A sendAsync in an interrupted thread is called done, and sends nothing",
      BrokenFormats::interruptedSendAsyncDropped,
      "an interrupted thread had",
      ALO_13),
  WAITING_SEND_IGNORES_INTERRUPTS(
      "A send that waits for its confirm is not interrupted",
      BrokenFormats::waitingSendIgnoresInterrupts,
      "after an interrupt, and threw",
      ALO_13),
  INTERRUPTED_SEND_LEAVES_A_THREAD(
      "A send that is interrupted leaves a thread",
      BrokenFormats::interruptedSendLeavesAThread,
      "thread 'confirm waiter'",
      ALO_14),
  EMPTY_BATCH_AFTER_CLOSE(
      "A closed sender takes an empty batch",
      BrokenFormats::emptyBatchAfterClose,
      "send of nothing",
      ALO_14),
  SEND_ASYNC_HANGS(
      "A sendAsync waits for ever for a broker that does not answer",
      BrokenFormats::sendAsyncHangs,
      "sendAsync hangs beyond the declared bound",
      ALO_18),
  SENDER_CLOSE_HANGS(
      "Closing a sender waits for ever for a broker that does not answer",
      BrokenFormats::senderCloseHangs,
      "Sender.close, after sendAsync, hangs",
      ALO_18),
  DELETED_QUEUE_LOOKS_EMPTY(
      "A receiver of a deleted queue finds it empty for ever",
      BrokenCorners::deletedQueueLooksEmpty,
      "") {
    @Override
    String breaksContract() {
      return "a receiver of a deleted queue fails";
    }
  },
  OLD_RECEIVER_IS_DEAF(
      "A receiver of a deleted queue that is made again finds it empty for ever",
      BrokenCorners::oldReceiverIsDeaf,
      "neither failed within",
      ALO_24),
  OLD_ACK_SETTLES_NEW_MESSAGES(
      "An ack of what a deleted queue delivered settles as many of the queue made again",
      BrokenCorners::oldAckSettlesNewMessages,
      "of the queue made again are lost",
      ALO_24),
  HELD_OUTLIVES_THE_QUEUE(
      "What is held as a queue is deleted comes into the one made again as its receiver closes",
      BrokenCorners::heldOutlivesTheQueue,
      "were held as their queue was deleted",
      ALO_24),
  EXPIRY_NOT_COUNTED(
      "The attempt of a delivery does not grow by an expiry", BrokenCorners::expiryNotCounted, "") {
    @Override
    String breaksContract() {
      return "attempt";
    }
  },
  EARLY_EXTEND_IGNORED(
      "An extend of a claim that is younger than half a period does nothing",
      BrokenCorners::earlyExtendIgnored,
      "and came again",
      ALO_05),
  EXTEND_CUT_AT_1000(
      "Of an extend of more than 1,000 messages the rest is dropped",
      BrokenCorners::extendCut,
      "and came again",
      ALO_05),
  EXTEND_REVIVES_ACKED(
      "An extend that names an acked delivery brings it back a period later",
      BrokenCorners::extendRevivesAcked,
      "and came a claim period later",
      ALO_08),
  LATE_EXTEND_BELIEVED(
      "A late extend is called done, and does nothing, while nobody else has the message",
      BrokenCorners::lateExtendBelieved,
      "was done, and another receiver got",
      ALO_11),
  LATE_ACK_SETTLES_THE_NEXT_CLAIM(
      "A late ack settles the claim that its receiver has on the message by now",
      BrokenCorners::lateAckSettlesTheNextClaim,
      "whose claims had ended and begun again",
      ALO_11),
  RECEIVE_EXTENDS(
      "A receive starts the claims anew that its receiver has",
      BrokenCorners::receiveExtends,
      "did not come back",
      ALO_08),
  SEEN_BEFORE_KEPT_BACK(
      "A receiver keeps back what it has had before",
      BrokenCorners::seenBeforeKeptBack,
      "to the receiver that held them",
      ALO_08,
      ALO_25),
  DROPPED_AFTER_TEN_RELEASES(
      "A message is dropped when it is released for the eleventh time",
      BrokenCorners::droppedAfterTenReleases,
      "was released 11 times",
      ALO_25),
  GZIP_UNPACKED(
      "A body that is a gzip file arrives unpacked",
      BrokenFormats::gzipUnpacked,
      "a gzip file",
      ALO_04),
  JSON_REWRITTEN(
      "A body that looks like JSON arrives without its spaces",
      BrokenFormats::jsonRewritten,
      "the text '{",
      ALO_04),
  RESERVED_HEADERS_LEFT_OUT(
      "Headers whose names the client uses itself are left out",
      BrokenFormats::reservedHeadersLeftOut,
      "x-death was 'v' and is not there",
      ALO_04),
  LARGE_BODY_READ_ONCE(
      "A body above 64 KiB is gone when its message comes again",
      BrokenFormats::largeBodyReadOnce,
      "came again as",
      ALO_04),
  EARLIER_RECEIVES_ACKED(
      "An ack of what the last receive returned settles what those before returned, too",
      BrokenAcks::settlesEarlierReceives,
      "did not come back either",
      ALO_10),
  ACK_BY_PLACE(
      "An ack of a delivery of a deleted queue settles the one at its place in the queue made"
          + " again",
      BrokenAcks::settlesByPlace,
      "of the queue made again are lost",
      ALO_24),
  LATE_ACKS_FORGOTTEN(
      "In the last third of its period an ack of a claim is left out, and completes",
      BrokenClaims::lateAcksForgotten,
      "acked at 40, 60 and 80 % of the claim period",
      ALO_09),
  HUNDRED_COME_BACK(
      "Of the claims of a receiver that end, the first hundred come back",
      BrokenClaims::hundredComeBack,
      "in which one receiver held",
      ALO_08),
  BURST_DROPPED(
      "More than a thousand batches of sendAsync in a tenth of a second overflow a buffer, and count"
          + " as sent",
      BrokenSenders::burstDropped,
      "were not delivered",
      ALO_01),
  SECOND_CLOSE_CLOSES_ANOTHER(
      "The second close of a sender or receiver closes the one of its connection that was opened"
          + " last",
      BrokenCloses::secondCloseClosesAnother,
      "closed twice another one failed",
      ALO_14),
  DEAF_AFTER_HUNDRED_RELEASES(
      "A receiver gets nothing more once it has released a hundred deliveries",
      BrokenReleases::deafAfterHundredReleases,
      "got nothing in",
      ALO_25),
  EMPTINESS_REMEMBERED(
      "For a quarter of a second after a receive found nothing, a timeout of zero asks nobody",
      BrokenWaits::emptinessRemembered,
      "only [PT0.2",
      ALO_12);

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
    return switch (this) {
      case EXPIRY_IN_THE_WRONG_UNIT, PENDING_NEVER_RECLAIMED, EXPIRY_WITHIN_THE_CONNECTION ->
          Duration.ofSeconds(30).multipliedBy(1_000_000);
      case CLAIM_ENDS_AT_TWO_THIRDS -> Duration.ofSeconds(19);
      case CLAIM_ENDS_AT_FOUR_FIFTHS -> Duration.ofSeconds(24);
      case CLAIM_ENDS_A_TENTH_EARLY -> Duration.ofSeconds(27);
      case SHORT_CLAIMS_KEPT_ON_CLOSE -> Duration.ofSeconds(1);
      default -> Duration.ofSeconds(30);
    };
  }

  /** What it breaks of the contract that is no rule, as the failures name it; else nothing. */
  String breaksContract() {
    return "";
  }

  /** Its name, as one reads it. */
  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
