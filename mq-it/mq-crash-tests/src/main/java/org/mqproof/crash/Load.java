package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;

/**
 * Senders and receivers at work on one queue through one {@link Mq}, each in a thread of its own,
 * recorded in a ledger. One that fails is closed and created anew; the {@code Mq} never is.
 *
 * <p>For one thread; what it measures may be read by any.
 */
final class Load implements AutoCloseable {

  /** Without any delivery for this long, and with nothing broken, there is nothing more to come. */
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private static final Duration SHORT_SILENCE = Duration.ofSeconds(1);
  private static final Duration RECEIVE_TIMEOUT = Duration.ofMillis(200);

  /** What failed a moment ago need not be tried again at once. */
  private static final int REST_MILLIS = 20;

  /**
   * Whether senders rest after each batch. Most of a cell's time is waited for an election or for
   * the end of a claim. What senders without a rest then take of two cores, the cluster lacks that
   * heals, and so does the cell that runs beside. None in runs that are repeated for the document.
   */
  private static final boolean RESTS = System.getProperty(Seeds.REPETITIONS_PROPERTY) == null;

  /**
   * Longest rest, microseconds; half of it on average. A fault strikes at any moment of a rest or a
   * batch.
   */
  private static final int MOST_REST_MICROS = 20_000;

  /** The same while what a blow did is waited for. */
  private static final int MOST_REST_WHILE_WAITING_MICROS = 60_000;

  /** How long a blow is not yet waited for: what it broke is found out in this time. */
  private static final Duration BLOW = Duration.ofSeconds(2);

  static final int BODY_BYTES = 100;
  private static final int LARGEST_BATCH = 20;

  private final Mq mq;
  private final String queue;
  private final Ledger ledger;
  private final CountDownLatch stopSending = new CountDownLatch(1);
  private final CountDownLatch stopReceiving = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> sending = new ArrayList<>();
  private final List<Future<?>> receiving = new ArrayList<>();
  private final Map<String, AtomicInteger> errors = new ConcurrentHashMap<>();
  private final Queue<String> firstErrors = new ConcurrentLinkedQueue<>();
  private final AtomicLong confirmed = new AtomicLong();

  /** Per sender: when it began the last batch that was confirmed, or the smallest value. */
  private final AtomicLongArray confirmedBatchBegan;

  private final Consumer<List<Delivery>> watcher;

  /** When the last blow fell; null while nothing is broken. */
  private volatile @Nullable Long struckAt;

  private @Nullable Duration cleared;

  final Gaps confirms = new Gaps();
  final Gaps deliveries = new Gaps();
  final Rates rates = new Rates();

  Load(Mq mq, String queue, Ledger ledger, int senders, int receivers) {
    this(mq, queue, ledger, senders, receivers, batch -> {});
  }

  /**
   * Starts senders and receivers.
   *
   * @param watcher is given each batch that was received, on the receiver's thread
   */
  Load(
      Mq mq,
      String queue,
      Ledger ledger,
      int senders,
      int receivers,
      Consumer<List<Delivery>> watcher) {
    this.mq = mq;
    this.queue = queue;
    this.ledger = ledger;
    this.watcher = watcher;
    confirmedBatchBegan = new AtomicLongArray(senders);
    for (int sender = 0; sender < senders; sender++) {
      int number = sender;
      confirmedBatchBegan.set(number, System.nanoTime() - 1);
      sending.add(threads.submit(() -> sendUntilStopped(number)));
    }
    startReceivers(receivers);
  }

  /** Starts so many receivers more. */
  void startReceivers(int receivers) {
    for (int receiver = 0; receiver < receivers; receiver++) {
      receiving.add(threads.submit(this::receiveUntilStopped));
    }
  }

  int receivers() {
    return receiving.size();
  }

  private void sendUntilStopped(int number) {
    SenderLog log = ledger.sender(number);
    Random random = new Random(number);
    try {
      do {
        try (Sender sender = mq.sender(queue)) {
          while (stopSending.getCount() > 0) {
            send(sender, log, number, batch(1 + random.nextInt(LARGEST_BATCH)));
            if (RESTS) {
              int micros = random.nextInt(mostRestMicros());
              LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
            }
          }
        } catch (MqException e) {
          count(e);
        }
      } while (!stopSending.await(REST_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the load is being closed
    }
  }

  private int mostRestMicros() {
    @Nullable Long struck = struckAt;
    return struck == null || Await.since(struck).compareTo(BLOW) < 0
        ? MOST_REST_MICROS
        : MOST_REST_WHILE_WAITING_MICROS;
  }

  /** A blow falls; until {@link #healed}, what it did is waited for. */
  void struck() {
    struckAt = System.nanoTime();
  }

  /** Nothing is broken any more. */
  void healed() {
    struckAt = null;
  }

  private void send(Sender sender, SenderLog log, int number, List<Message> batch)
      throws InterruptedException {
    long began = System.nanoTime();
    long first = log.stamp(batch, began);
    try {
      sender.send(batch);
    } catch (SendFailedException e) {
      log.failed(first, e.outcomes());
      throw e;
    }
    log.confirmed(first, batch.size());
    confirmed.addAndGet(batch.size());
    confirmedBatchBegan.set(number, began);
    confirms.mark();
    rates.count(batch.size());
  }

  static List<Message> batch(int size) {
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      batch.add(new Message(new byte[BODY_BYTES]));
    }
    return batch;
  }

  private void receiveUntilStopped() {
    try {
      do {
        ReceiverLog log = ledger.newReceiver();
        try (Receiver receiver = mq.receiver(queue)) {
          while (stopReceiving.getCount() > 0) {
            receive(receiver, log);
          }
        } catch (MqException e) {
          log.gaveBack();
          count(e);
        }
      } while (!stopReceiving.await(REST_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the load is being closed
    }
  }

  private void receive(Receiver receiver, ReceiverLog log) throws InterruptedException {
    List<Delivery> batch = receiver.receive(LARGEST_BATCH * 10, RECEIVE_TIMEOUT);
    if (batch.isEmpty()) {
      return;
    }
    log.delivered(batch, sentAtNanos -> {});
    watcher.accept(batch);
    deliveries.mark();
    Child.unawaited(
        log.ack(receiver, batch)
            .whenComplete(
                (done, error) -> {
                  if (error != null) {
                    count(error);
                  }
                }));
  }

  private void count(Throwable error) {
    String type = error.getClass().getSimpleName();
    if (errors.computeIfAbsent(type, name -> new AtomicInteger()).incrementAndGet() == 1) {
      firstErrors.add(String.valueOf(error.getMessage()));
    }
  }

  long confirmed() {
    return confirmed.get();
  }

  /** How often each kind of error was seen, and the first message of each. */
  String errors() {
    return errors.isEmpty() ? "no errors" : "errors " + errors + ", the first ones " + firstErrors;
  }

  /**
   * Waits until so many more messages are confirmed.
   *
   * @param patience how long none may be confirmed meanwhile
   */
  void awaitConfirms(int more, Duration patience) {
    long enough = confirmed.get() + more;
    assertThat(Await.holdsWhileProgress(patience, confirmed::get, () -> confirmed.get() >= enough))
        .as("%d more messages confirmed, none for %s; %s", more, patience, errors())
        .isTrue();
  }

  /** Whether a batch was confirmed that a sender began after a time. */
  boolean confirmedWhatBeganAfter(long nanoTime) {
    for (int sender = 0; sender < confirmedBatchBegan.length(); sender++) {
      if (confirmedBatchBegan.get(sender) - nanoTime > 0) {
        return true;
      }
    }
    return false;
  }

  /** Waits until every sender had a batch confirmed that it began from now on. */
  void awaitEverySender(Duration bound) {
    long now = System.nanoTime();
    Await.until(
        "a confirm for every sender; %s".formatted(errors()),
        bound,
        () -> {
          for (int sender = 0; sender < confirmedBatchBegan.length(); sender++) {
            if (confirmedBatchBegan.get(sender) - now < 0) {
              return false;
            }
          }
          return true;
        });
  }

  /** Stops the senders, and waits until each has the outcome of its last batch. */
  void stopSending() throws ExecutionException, InterruptedException, TimeoutException {
    stopSending.countDown();
    awaitAll(sending);
  }

  /**
   * Lets the receivers go on until nothing more comes, however slowly.
   *
   * @param patience how long only what was delivered before may come
   * @return false if something still came, and nothing new, when the patience was over
   */
  boolean drain(Duration patience) {
    long beganAt = System.nanoTime();
    return Await.holdsWhileProgress(
        patience,
        ledger::delivered,
        () -> {
          if (cleared == null && ledger.allConfirmedDelivered()) {
            cleared = Await.since(beganAt);
          }
          Duration draining = Await.since(beganAt); // silence before, with no receiver, is none
          Duration silence = shorter(deliveries.sinceLast(), draining);
          return silence.compareTo(SILENCE) > 0
              || (silence.compareTo(SHORT_SILENCE) > 0 && ledger.allConfirmedDelivered());
        });
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** How long after the drain began every confirmed message was delivered; empty if not so far. */
  Optional<Duration> cleared() {
    return Optional.ofNullable(cleared);
  }

  /** Stops everything. A thread that failed in a way that no rule allows fails the test here. */
  void stop() throws ExecutionException, InterruptedException, TimeoutException {
    stopSending();
    stopReceiving.countDown();
    awaitAll(receiving);
  }

  private void awaitAll(List<Future<?>> futures)
      throws ExecutionException, InterruptedException, TimeoutException {
    for (Future<?> future : futures) {
      // Twice: a call may be on its way, and then the close.
      future.get(mq.traits().callBound().toSeconds() * 2 + 10, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    stopSending.countDown();
    stopReceiving.countDown();
    threads.shutdownNow();
  }
}
