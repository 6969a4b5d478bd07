package org.mqproof.nats;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.AckRounds;
import org.mqproof.support.Causes;
import org.mqproof.support.ClaimAges;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.Retries;

/**
 * The requests of one receiver to the consumer of its queue. A claim is one pull request, which the
 * server ends when it has sent what was there: as many messages as were asked for, or fewer, or
 * after a wait none.
 *
 * <p>The server does not say whether the claim had ended that a request extends or releases, and
 * would hand a message out again that another receiver has by now. So the age of a claim decides
 * here, and the server's {@code ack_wait} is longer by a quarter of the claim period, at least 1 s:
 * a request must not be under way for longer than that.
 *
 * <p>Its methods block. Thread-safe, but for {@link #claim}, which is for one thread at a time.
 */
final class Claims implements ClaimingReceiver.Claims<NatsDelivery> {

  /** One claim brings so many; a larger one only keeps others waiting. */
  private static final int MOST_MESSAGES = 1_000;

  /** Bodies that one claim brings together, beside the largest that there can be. */
  private static final long MOST_BYTES = 16 << 20;

  /** Closing waits so long for a claim under way; a leader that died is noticed no later. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** No messages, or none in time. */
  private static final Set<Integer> END = Set.of(404, 408);

  private static final String NO_ANSWER = "no answer";

  /** In a status: how many messages the request asked for and does not get. */
  private static final String PENDING = "Nats-Pending-Messages";

  private static final byte[] ACK = "+ACK".getBytes(US_ASCII);
  private static final byte[] RELEASE = "-NAK".getBytes(US_ASCII);
  private static final byte[] EXTEND = "+WPI".getBytes(US_ASCII);

  private final Server server;
  private final Queues queues;
  private final Queues.Queue queue;
  private final String pullSubject;
  private final ClaimAges<NatsDelivery> ages;
  private final long stepNanos;
  private @Nullable Inbox inbox;
  private long pulls;

  Claims(Server server, Queues queues, Queues.Queue queue) {
    this.server = server;
    this.queues = queues;
    this.queue = queue;
    pullSubject = "$JS.API.CONSUMER.MSG.NEXT." + queue.stream() + "." + queue.consumer();
    ages = new ClaimAges<>(server.settings().bounds(), NatsDelivery::ageNanos);
    stepNanos = server.settings().stepBound().toNanos();
  }

  /** Where the messages of this receiver arrive, over one connection. */
  private record Inbox(Connection connection, String subject, Subscription subscription) {

    static Inbox over(Connection connection) {
      String subject = connection.createInbox();
      Subscription subscription = connection.subscribe(subject + ".*");
      subscription.setPendingLimits(-1, -1); // no more comes than was asked for
      return new Inbox(connection, subject, subscription);
    }
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public List<NatsDelivery> claim(int max, AckRounds<NatsDelivery> owner) throws Exception {
    return claim(max, 0, owner);
  }

  /** Asks again while no server answers for the queue, because another one is about to lead it. */
  @Override
  public List<NatsDelivery> claim(int max, long waitNanos, AckRounds<NatsDelivery> owner)
      throws Exception {
    int most = Math.min(max, MOST_MESSAGES);
    long wait = Math.max(0, Math.min(waitNanos, LONGEST_WAIT_NANOS));
    long deadline = System.nanoTime() + stepNanos;
    while (true) {
      List<NatsDelivery> claimed = new ArrayList<>();
      Exception failure;
      try {
        String problem = pull(most, wait, owner, claimed);
        if (problem == null) {
          return claimed;
        }
        failure = new MqException(problem);
      } catch (IOException | IllegalStateException e) { // the connection is lost
        failure = e;
      }
      leaveInbox(); // what still comes of this request comes again when its claim ends
      if (!claimed.isEmpty()) {
        return claimed;
      }
      if (!queues.exists(queue)) {
        throw new MqException("there is no such queue any more");
      }
      if (wait == 0 && NO_ANSWER.equals(failure.getMessage())) {
        return claimed; // at max_ack_pending the server waits for room, and says nothing
      }
      if (!Retries.hasTimeLeft(deadline)) {
        throw failure;
      }
    }
  }

  /**
   * Asks once.
   *
   * @param claimed gets what comes
   * @return what the server said instead of an answer, or null if it has answered to the end
   */
  private @Nullable String pull(
      int most, long waitNanos, AckRounds<NatsDelivery> owner, List<NatsDelivery> claimed)
      throws IOException, InterruptedException {
    Inbox own = inbox();
    String reply = own.subject() + "." + pulls++;
    String expires = waitNanos == 0 ? "" : ",\"expires\":" + waitNanos;
    long bytes = MOST_BYTES + own.connection().getMaxPayload();
    own.connection()
        .publish(
            pullSubject,
            reply,
            "{\"batch\":%d,\"no_wait\":true,\"max_bytes\":%d%s}"
                .formatted(most, bytes, expires)
                .getBytes(US_ASCII));
    long deadline = System.nanoTime() + waitNanos + stepNanos / 2;
    int target = most;
    while (claimed.size() < target) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      Message message = left <= 0 ? null : own.subscription().nextMessage(left);
      if (message == null) {
        return NO_ANSWER;
      }
      if (message.isJetStream()) {
        claimed.add(
            new NatsDelivery(
                owner,
                message.getReplyTo(),
                (int) Math.min(Integer.MAX_VALUE, message.metaData().deliveredCount()),
                HeaderText.message(message.getData(), message.getHeaders())));
      } else if (message.isStatusMessage() && message.getSubject().equals(reply)) {
        String notComing = message.hasHeaders() ? message.getHeaders().getFirst(PENDING) : null;
        if (notComing != null) { // messages that are replicated first may still come
          target = most - Integer.parseInt(notComing);
        } else if (END.contains(message.getStatus().getCode())) {
          return null;
        } else {
          return message.getStatus().getMessageWithCode();
        }
      }
    }
    return null; // a status may follow, which the next request passes over
  }

  private Inbox inbox() throws IOException, InterruptedException {
    Connection connection = server.connection();
    Inbox own = inbox;
    if (own == null || own.connection() != connection) {
      own = Inbox.over(connection);
      inbox = own;
    }
    return own;
  }

  private void leaveInbox() {
    Inbox own = inbox;
    inbox = null;
    if (own != null && own.subscription().isActive()) {
      own.subscription().unsubscribe();
    }
  }

  /** Settles what its claim still hides. */
  @Override
  public Set<NatsDelivery> settle(Collection<NatsDelivery> deliveries) {
    Set<NatsDelivery> ended = ages.tooOldToAck(deliveries);
    Answers answers = ask(ACK, ClaimAges.without(ended, deliveries));
    if (!answers.missing.isEmpty()) {
      throw new AckRounds.PartlySettled(
          "%s, queue %s: not every ack was confirmed: %s"
              .formatted(
                  server.settings().endpoint(), queue.name(), Errors.reason(answers.failure())),
          ended,
          answers.missing,
          answers.failure());
    }
    return ended;
  }

  @Override
  public boolean free(Collection<NatsDelivery> deliveries) throws MqException {
    List<NatsDelivery> left = ClaimAges.without(ages.over(deliveries), deliveries);
    ask(RELEASE, left).requireAll();
    return !left.isEmpty();
  }

  @Override
  public boolean freeAll(Collection<NatsDelivery> held) throws MqException {
    try {
      return free(held);
    } finally {
      leaveInbox();
    }
  }

  @Override
  public Set<NatsDelivery> extend(Collection<NatsDelivery> deliveries) throws MqException {
    long since = System.nanoTime();
    Set<NatsDelivery> ended = ages.over(deliveries);
    List<NatsDelivery> left = ClaimAges.without(ended, deliveries);
    ask(EXTEND, left).requireAll();
    left.forEach(delivery -> delivery.extended(since));
    return ended;
  }

  /** Which requests have no answer, and why the last of them has none. */
  private record Answers(Set<NatsDelivery> missing, @Nullable Throwable lastFailure) {

    Throwable failure() {
      return lastFailure == null ? new MqException("no answer") : lastFailure;
    }

    void requireAll() {
      if (!missing.isEmpty()) {
        throw new MqException(Errors.reason(failure()), failure());
      }
    }
  }

  private static Message request(NatsDelivery delivery, byte[] word) {
    return NatsMessage.builder().subject(delivery.ackSubject()).data(word).build();
  }

  /**
   * Sends the same word for each delivery, and again to those without an answer while another
   * server may be about to lead the queue, and no claim can have ended.
   */
  private Answers ask(byte[] word, List<NatsDelivery> deliveries) {
    long deadline = ages.deadlineNanos(deliveries);
    List<NatsDelivery> open = deliveries;
    Throwable failure = null;
    while (!open.isEmpty()) {
      long attempt = Math.min(deadline, System.nanoTime() + stepNanos / 2);
      List<CompletableFuture<Message>> answers =
          server.ask(open.stream().map(delivery -> request(delivery, word)).toList(), attempt);
      List<NatsDelivery> missing = new ArrayList<>();
      for (int i = 0; i < answers.size(); i++) {
        Throwable why = answers.get(i).handle((message, problem) -> problem).join();
        if (why != null) {
          failure = Causes.first(why);
          missing.add(open.get(i));
        }
      }
      open = missing;
      if (failure != null
          && !open.isEmpty()
          && (queues.isGone(queue, failure) || !Retries.hasTimeLeft(deadline))) {
        break;
      }
    }
    return new Answers(new HashSet<>(open), failure);
  }
}
