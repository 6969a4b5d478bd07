package org.mqproof.jms;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;

/**
 * One JMS session that sends, with the thread that owns it, for any number of senders. Batches are
 * sent in the order in which they were added.
 *
 * <p>While a commit is under way further batches gather, and share the next one. A connection that
 * failed is replaced when there is something to send; what it left open is unknown.
 *
 * <p>Thread-safe.
 */
final class SendLane {

  /** Most messages and bytes in one transaction: beyond this a commit gains nothing. */
  private static final int GROUP_MESSAGES = 2_000;

  private static final long GROUP_BYTES = 4L << 20;

  /** Most messages and bytes that wait here; then {@code sendAsync} waits. */
  private static final int MOST_WAITING = 20_000;

  private static final long MOST_WAITING_BYTES = 64L << 20;

  private static final long DEADLINE_POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final JmsBroker broker;
  private final JmsSettings settings;
  private final Nodes nodes;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<SendBatch> waiting = new ArrayDeque<>();
  private int openMessages;
  private long openBytes;
  private boolean closing;
  private @Nullable Link link; // the lane's thread's own

  SendLane(JmsBroker broker, JmsSettings settings, Nodes nodes, int number) {
    this.broker = broker;
    this.settings = settings;
    this.nodes = nodes;
    thread = new Thread(this::run, settings.threadName("sender-" + number));
    thread.setDaemon(true);
  }

  SendLane start() {
    thread.start();
    return this;
  }

  /**
   * Takes a batch, after a wait if too much is open; it ends as rejected if that takes too long.
   *
   * @throws InterruptedException if interrupted meanwhile; it ended as rejected
   */
  void add(SendBatch batch) throws InterruptedException {
    boolean taken = false;
    lock.lock();
    try {
      openMessages += batch.size();
      openBytes += batch.bytes();
      // One batch is let in whatever its size.
      while (!closing
          && openMessages > batch.size()
          && (openMessages > MOST_WAITING || openBytes > MOST_WAITING_BYTES)
          && batch.nanosLeft() > 0) {
        long unused = changed.awaitNanos(batch.nanosLeft());
      }
      taken = !closing && batch.nanosLeft() > 0;
      if (taken) {
        waiting.add(batch);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
      if (!taken) {
        batch.endAll(Outcome.REJECTED, new TimeoutException("too much is waiting to be sent"));
      }
    }
  }

  /** Makes room: the batch has all its outcomes. */
  void ended(SendBatch batch) {
    lock.lock();
    try {
      openMessages -= batch.size();
      openBytes -= batch.bytes();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends a batch that is late: unknown, unless it still waits here. */
  void abandon(SendBatch batch, Exception cause) {
    boolean neverSent;
    lock.lock();
    try {
      neverSent = waiting.remove(batch);
    } finally {
      lock.unlock();
    }
    batch.endAll(neverSent ? Outcome.REJECTED : Outcome.UNKNOWN, cause);
  }

  private TimeoutException late() {
    return new TimeoutException("no answer within " + settings.callBound().toMillis() + " ms");
  }

  /** Sends what waits, then closes; does not wait for it. */
  void beginClose() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void awaitClosed(long deadlineNanos) {
    boolean unused = BoundedWaits.awaitEnd(thread, deadlineNanos);
  }

  // From here on the lane's thread's.

  private void run() {
    List<SendBatch> group = nextGroup();
    while (!group.isEmpty() || !isClosing()) {
      if (!group.isEmpty()) {
        send(group);
      }
      dropIfLate();
      group = nextGroup();
    }
    Link last = link;
    if (last != null) {
      last.awaitOpen();
      drop(last, new MqException(settings.endpoint() + ": the connection was closed"));
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** What has gathered, or nothing when it is time to look for late batches or to end. */
  private List<SendBatch> nextGroup() {
    List<SendBatch> group = new ArrayList<>();
    lock.lock();
    try {
      long left = DEADLINE_POLL_INTERVAL_NANOS;
      while (waiting.isEmpty() && !closing && left > 0) {
        left = changed.awaitNanos(left);
      }
      int messages = 0;
      long bytes = 0;
      SendBatch next = waiting.peek();
      while (next != null
          && (group.isEmpty()
              || (messages + next.size() <= GROUP_MESSAGES
                  && bytes + next.bytes() <= GROUP_BYTES))) {
        waiting.remove();
        group.add(next);
        messages += next.size();
        bytes += next.bytes();
        next = waiting.peek();
      }
    } catch (InterruptedException e) {
      closing = true; // nobody interrupts this thread but a JVM that ends
    } finally {
      lock.unlock();
    }
    return group;
  }

  private void send(List<SendBatch> group) {
    if (settings.get(JmsSettings.SEND) == JmsSettings.Send.TRANSACTED) {
      transact(group);
    } else {
      group.forEach(this::sendSingly);
    }
  }

  private void transact(List<SendBatch> group) {
    Link sending = open(group.get(0));
    if (sending == null) {
      // The others have the same time, and hardly more of it.
      group.forEach(batch -> batch.endAll(Outcome.REJECTED, noConnection));
      return;
    }
    boolean committing = false;
    try {
      for (SendBatch batch : group) {
        Destination queue = sending.queue(batch.queue());
        for (int i = 0; i < batch.size(); i++) {
          if (batch.isOpen(i)) {
            sending.producer.send(queue, sending.message(batch.message(i)));
          }
        }
      }
      committing = true;
      sending.session.commit();
    } catch (JMSException | RuntimeException e) {
      drop(sending, e);
      // A transaction whose commit was never sent ends with its connection. Once it was sent, only
      // the broker's own word counts: clients say "rolled back" also when they do not know.
      if (committing && !broker.refused(e)) {
        group.forEach(batch -> batch.endAll(Outcome.UNKNOWN, e));
      } else if (group.size() > 1) {
        // One batch's fault must not be that of the others, and certainly nothing is stored.
        group.forEach(batch -> transact(List.of(batch)));
      } else {
        group.forEach(batch -> batch.endAll(Outcome.REJECTED, e));
      }
      return;
    }
    group.forEach(batch -> batch.endAll(Outcome.CONFIRMED, null));
  }

  private void sendSingly(SendBatch batch) {
    boolean async = settings.get(JmsSettings.SEND) == JmsSettings.Send.ASYNC;
    Link sending = open(batch);
    if (sending == null) {
      batch.endAll(Outcome.REJECTED, noConnection);
      return;
    }
    sending.open.add(batch);
    for (int i = 0; i < batch.size(); i++) {
      if (!batch.isOpen(i)) {
        continue;
      }
      try {
        Destination queue = sending.queue(batch.queue());
        Message message = sending.message(batch.message(i));
        if (async) {
          broker.sendAsync(sending.producer, queue, message, new Confirm(sending, batch, i));
        } else {
          sending.producer.send(queue, message);
          batch.end(i, Outcome.CONFIRMED, null);
        }
      } catch (JMSException | RuntimeException e) {
        batch.end(i, outcome(e), e);
        for (int rest = i + 1; rest < batch.size(); rest++) {
          batch.end(rest, Outcome.REJECTED, e); // never sent
        }
        drop(sending, e);
        return;
      }
    }
    if (!async) {
      sending.open.remove(batch);
    }
  }

  private Outcome outcome(Exception failure) {
    return broker.refused(failure) ? Outcome.REJECTED : Outcome.UNKNOWN;
  }

  private MqException noConnection = new MqException("not tried yet");

  /** The connection, or null if there is none within the batch's time. */
  private @Nullable Link open(SendBatch batch) {
    Link current = link;
    if (current != null && current.failure == null) {
      return current;
    }
    if (current != null) {
      drop(current, current.failure);
    }
    Duration time =
        Duration.ofNanos(Math.min(batch.nanosLeft(), settings.stepBound().toNanos() * 2));
    try {
      Link fresh = new Link(nodes.connect(JmsBroker.Role.USER, time));
      link = fresh;
      fresh.begin(settings.get(JmsSettings.SEND) == JmsSettings.Send.TRANSACTED);
      return fresh;
    } catch (MqException e) {
      noConnection = e;
    } catch (JMSException | RuntimeException e) {
      noConnection =
          new MqException(settings.endpoint() + ": cannot open a session: " + Causes.reason(e), e);
      Link broken = link;
      if (broken != null) {
        drop(broken, e);
      }
    }
    return null;
  }

  private void drop(Link broken, @Nullable Exception cause) {
    if (link == broken) {
      link = null;
    }
    Exception unused = nodes.close(broken.connection);
    broken.endOpen(cause);
  }

  /** A node that neither answers nor fails would leave batches open for ever. */
  private void dropIfLate() {
    Link current = link;
    if (current != null) {
      for (SendBatch batch : current.open) {
        if (batch.nanosLeft() <= 0) {
          drop(current, late());
          return;
        }
      }
      if (current.failure != null) {
        drop(current, current.failure);
      }
    }
  }

  /** A connection with its session and its producer; ended as a whole when anything fails. */
  private final class Link {

    private final Connection connection;
    private final Set<SendBatch> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Destination> queues = new HashMap<>();
    private Session session;
    private MessageProducer producer;
    private volatile @Nullable Exception failure;

    @SuppressWarnings("NullAway.Init") // begin() follows
    Link(Connection connection) {
      this.connection = connection;
    }

    void begin(boolean transacted) throws JMSException {
      connection.setExceptionListener(this::failed);
      session =
          connection.createSession(
              transacted, transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
      producer = session.createProducer(null);
      producer.setDeliveryMode(DeliveryMode.PERSISTENT);
      producer.setDisableMessageID(true);
      producer.setDisableMessageTimestamp(true);
    }

    private void failed(JMSException cause) {
      failure = cause;
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    Destination queue(String name) throws JMSException {
      Destination known = queues.get(name);
      if (known == null) {
        known = session.createQueue(name);
        queues.put(name, known);
      }
      return known;
    }

    BytesMessage message(org.mqproof.Message sent) throws JMSException {
      BytesMessage message = session.createBytesMessage();
      message.writeBytes(sent.body());
      for (Map.Entry<String, String> header : sent.headers().entrySet()) {
        broker.setHeader(message, header.getKey(), header.getValue());
      }
      return message;
    }

    void endOpen(@Nullable Exception cause) {
      open.forEach(batch -> batch.endAll(Outcome.UNKNOWN, cause));
      open.clear();
    }

    /** Before closing: the outcomes of what was sent and not yet confirmed. */
    void awaitOpen() {
      for (SendBatch batch : open) {
        if (!BoundedWaits.await(batch.outcomes().done(), batch.deadlineNanos())) {
          return; // all of them are late then
        }
      }
    }
  }

  /** Takes one message's outcome from the client's thread. */
  private final class Confirm implements CompletionListener {

    private final Link sentOn;
    private final SendBatch batch;
    private final int index;

    Confirm(Link sentOn, SendBatch batch, int index) {
      this.sentOn = sentOn;
      this.batch = batch;
      this.index = index;
    }

    @Override
    public void onCompletion(Message message) {
      end(Outcome.CONFIRMED, null);
    }

    @Override
    public void onException(Message message, Exception exception) {
      end(outcome(exception), exception);
    }

    private void end(Outcome outcome, @Nullable Exception cause) {
      batch.end(index, outcome, cause);
      if (batch.outcomes().hasEnded()) {
        sentOn.open.remove(batch);
      }
    }
  }
}
