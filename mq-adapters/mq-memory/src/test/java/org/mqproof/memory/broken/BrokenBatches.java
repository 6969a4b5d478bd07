package org.mqproof.memory.broken;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;

/**
 * Ways to get sending wrong that show only in some places of a batch, with some bodies, or while
 * something closes. As thread-safe as what they wrap.
 */
final class BrokenBatches {

  private static final int CHUNK = 10;
  private static final long LARGE_BATCH_BYTES = 64 << 10;
  private static final long LARGEST_REQUEST_BYTES = 2 << 20;
  private static final int HEADER_CHECKED_BYTES = 1_000;
  private static final int REORDERED_ABOVE = 256;

  private BrokenBatches() {}

  /** A large asynchronous batch is stored a moment later, behind what is sent meanwhile. */
  static Mq largeBatchOvertaken(Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              private final Set<CompletableFuture<Void>> late = ConcurrentHashMap.newKeySet();

              @Override
              public CompletableFuture<Void> sendAsync(List<Message> batch) {
                if (batch.stream().mapToLong(Message::sizeBytes).sum() <= LARGE_BATCH_BYTES) {
                  return inner.sendAsync(batch);
                }
                List<Message> copies =
                    batch.stream().map(m -> new Message(m.body().clone(), m.headers())).toList();
                CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(
                            () -> {}, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS))
                        .thenCompose(moment -> inner.sendAsync(copies));
                late.add(sent);
                return sent.copy();
              }

              @Override
              public void close() {
                late.forEach(sent -> sent.exceptionally(failure -> null).join());
                super.close();
              }
            });
  }

  // --- outcomes ---

  /** The entries of the reply are read last first. */
  static Mq outcomesReversed(Mq healthy) {
    return changingOutcomes(
        healthy,
        outcomes -> {
          Collections.reverse(outcomes);
          return outcomes;
        });
  }

  /** Outcomes of each request but the first are shifted by one. */
  static Mq outcomesShiftedInAChunk(Mq healthy) {
    return changingOutcomes(
        healthy,
        outcomes -> {
          for (int from = CHUNK; from < outcomes.size(); from += CHUNK) {
            Collections.rotate(outcomes.subList(from, Math.min(outcomes.size(), from + CHUNK)), 1);
          }
          return outcomes;
        });
  }

  /** Of several failures the first is told. */
  static Mq firstFailureOnly(Mq healthy) {
    return changingOutcomes(
        healthy,
        outcomes -> {
          boolean told = false;
          for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) != Outcome.CONFIRMED) {
              outcomes.set(i, told ? Outcome.CONFIRMED : outcomes.get(i));
              told = true;
            }
          }
          return outcomes;
        });
  }

  /** Outcomes beyond the first thousand are those of the first thousand. */
  static Mq outcomesOfTheFirstThousand(Mq healthy) {
    return changingOutcomes(
        healthy,
        outcomes -> {
          for (int i = 1_000; i < outcomes.size(); i++) {
            outcomes.set(i, outcomes.get(i % 1_000));
          }
          if (outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
            outcomes.set(0, Outcome.REJECTED); // the exception needs one
          }
          return outcomes;
        });
  }

  private static Mq changingOutcomes(Mq healthy, UnaryOperator<List<Outcome>> change) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            try {
              inner.send(batch);
            } catch (SendFailedException e) {
              throw changed(e);
            }
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return inner
                .sendAsync(batch)
                .exceptionallyCompose(
                    failure ->
                        CompletableFuture.failedFuture(
                            unwrapped(failure) instanceof SendFailedException told
                                ? changed(told)
                                : failure));
          }

          private SendFailedException changed(SendFailedException told) {
            return new SendFailedException(
                "some failed", change.apply(new ArrayList<>(told.outcomes())), told);
          }
        };
      }
    };
  }

  private static @Nullable Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  /** The future is completed when the request is written; the broker may refuse it later. */
  static Mq asyncConfirmsAnything(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return inner
                .sendAsync(batch)
                .exceptionallyCompose(
                    failure ->
                        String.valueOf(failure.getMessage()).contains("was deleted")
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(failure));
          }
        };
      }
    };
  }

  // --- bodies ---

  /** A body that was there before is taken for a retry. */
  static Mq equalBodiesDropped(Mq healthy) {
    return dropping(
        healthy,
        (known, batch) ->
            batch.stream().filter(message -> known.add(ByteBuffer.wrap(message.body()))).toList());
  }

  /** A batch that is equal to one before is taken for a retry. */
  static Mq equalBatchesDropped(Mq healthy) {
    return dropping(
        healthy,
        (known, batch) -> {
          List<ByteBuffer> bodies =
              batch.stream().map(message -> ByteBuffer.wrap(message.body())).toList();
          return batch.isEmpty() || known.add(bodies) ? batch : List.of();
        });
  }

  private interface Dropping {
    List<Message> kept(Set<Object> known, List<Message> batch);
  }

  private static Mq dropping(Mq healthy, Dropping dropping) {
    Map<String, Set<Object>> knownByQueue = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        Set<Object> known =
            knownByQueue.computeIfAbsent(queue, q -> Collections.synchronizedSet(new HashSet<>()));
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            inner.send(allFit(batch) ? dropping.kept(known, batch) : batch);
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return inner.sendAsync(allFit(batch) ? dropping.kept(known, batch) : batch);
          }
        };
      }

      private boolean allFit(List<Message> batch) {
        int largest = traits().largestBodyBytes();
        return batch.stream().allMatch(message -> message.body().length <= largest);
      }
    };
  }

  /** What of a batch is beyond the largest request is not written. */
  static Mq cutAtTheLargestRequest(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch -> {
          long bytes = 0;
          List<Message> written = new ArrayList<>();
          for (Message message : batch) {
            bytes += message.body().length > 1 << 20 ? 0 : message.body().length;
            if (bytes <= LARGEST_REQUEST_BYTES) {
              written.add(message);
            }
          }
          return written;
        });
  }

  /** Long bodies end at their first zero. */
  static Mq longBodiesEndAtAZero(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message -> {
                      byte[] body = message.body();
                      int end = 0;
                      while (end < body.length && body[end] != 0) {
                        end++;
                      }
                      return body.length < HEADER_CHECKED_BYTES || body.length > 1 << 20
                          ? message
                          : new Message(Arrays.copyOf(body, end), message.headers());
                    })
                .toList());
  }

  /** Bodies of 64 to 128 KiB take another path, and that one has a mistake. */
  static Mq middleSizesGarbled(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message -> {
                      byte[] body = message.body();
                      if (body.length <= 64 << 10 || body.length > 128 << 10) {
                        return message;
                      }
                      byte[] garbled = body.clone();
                      garbled[garbled.length / 2] = (byte) ~garbled[garbled.length / 2];
                      return new Message(garbled, message.headers());
                    })
                .toList());
  }

  // --- order ---

  /** The second half of a large asynchronous batch overtakes the first. */
  static Mq asyncChunksOvertake(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            int largest = traits().largestBodyBytes();
            if (batch.size() <= REORDERED_ABOVE
                || batch.stream().anyMatch(message -> message.body().length > largest)) {
              return inner.sendAsync(batch);
            }
            int half = batch.size() / 2;
            CompletableFuture<Void> second = inner.sendAsync(batch.subList(half, batch.size()));
            return CompletableFuture.allOf(second, inner.sendAsync(batch.subList(0, half)));
          }
        };
      }
    };
  }

  // --- several senders ---

  /** A sender that is opened again takes the number of a closed one, and counts from 0 again. */
  static Mq reopenedSenderCountsFromZero(Mq healthy) {
    Map<String, Map<Integer, AtomicLong>> nextByQueue = new ConcurrentHashMap<>();
    Map<String, Set<Integer>> openByQueue = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        Set<Integer> open = openByQueue.computeIfAbsent(queue, q -> ConcurrentHashMap.newKeySet());
        int id = 0;
        while (!open.add(id)) {
          id++;
        }
        int mine = id;
        AtomicLong next =
            nextByQueue
                .computeIfAbsent(queue, q -> new ConcurrentHashMap<>())
                .computeIfAbsent(id, i -> new AtomicLong());
        return new ForwardingSender(sender) {
          private long number;

          @Override
          public void send(List<Message> batch) throws InterruptedException {
            inner.send(isNew() ? batch : List.of());
          }

          private boolean isNew() {
            long one = number++;
            return next.getAndUpdate(n -> Math.max(n, one + 1)) <= one;
          }

          @Override
          public void close() {
            open.remove(mine);
            super.close();
          }
        };
      }
    };
  }

  /** Two senders that are opened at the same time get the same number, and one is ignored. */
  static Mq openedTogetherIgnored(Mq healthy) {
    AtomicInteger opening = new AtomicInteger();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        boolean twin = opening.incrementAndGet() > 1;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(queue.startsWith("alo-17") ? 10 : 0));
        opening.decrementAndGet();
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            inner.send(twin ? List.of() : batch);
          }
        };
      }
    };
  }

  /** Senders share a buffer without a lock: what two write at the same time is lost in part. */
  static Mq sharedBuffer(Mq healthy) {
    AtomicInteger writing = new AtomicInteger();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            boolean alone = writing.incrementAndGet() == 1;
            try {
              LockSupport.parkNanos(1_000);
              inner.send(alone || batch.size() < 2 ? batch : batch.subList(1, batch.size()));
            } finally {
              writing.decrementAndGet();
            }
          }
        };
      }
    };
  }

  // --- closing ---

  /** What becomes of batches that were not written yet when something closes. */
  private enum Unwritten {
    WRITTEN,
    DROPPED,
    REJECTED,
    FORGOTTEN
  }

  /** Closing a sender drops what is not written, and calls it sent. */
  static Mq senderCloseDrops(Mq healthy) {
    return writingLater(healthy, Unwritten.DROPPED, Unwritten.WRITTEN);
  }

  /** Closing the connection drops what is not written, and calls it sent. */
  static Mq connectionCloseDrops(Mq healthy) {
    return writingLater(healthy, Unwritten.WRITTEN, Unwritten.DROPPED);
  }

  /** Closing the connection calls rejected what is on its way. */
  static Mq connectionCloseRejects(Mq healthy) {
    return writingLater(healthy, Unwritten.WRITTEN, Unwritten.REJECTED);
  }

  /** Closing the connection leaves futures open for ever. */
  static Mq connectionCloseForgets(Mq healthy) {
    return writingLater(healthy, Unwritten.WRITTEN, Unwritten.FORGOTTEN);
  }

  private static Mq writingLater(Mq healthy, Unwritten onSenderClose, Unwritten onMqClose) {
    return new ForwardingMq(healthy) {
      private final Set<WritingLater> open = ConcurrentHashMap.newKeySet();

      @Override
      Sender broken(String queue, Sender sender) {
        WritingLater later = new WritingLater(sender, onSenderClose);
        open.add(later);
        return later;
      }

      @Override
      public void close() {
        open.forEach(sender -> sender.end(onMqClose));
        super.close();
      }
    };
  }

  /**
   * Writes asynchronous batches when somebody asks for their outcome, or after a long while: what
   * is unwritten when something closes is not a matter of luck. Thread-safe.
   */
  private static final class WritingLater extends ForwardingSender {

    private static final long LATER_MILLIS = 1_000;

    private final Unwritten onClose;
    private final ConcurrentLinkedQueue<Unsent> unsent = new ConcurrentLinkedQueue<>();
    private boolean ended;

    WritingLater(Sender inner, Unwritten onClose) {
      super(inner);
      this.onClose = onClose;
    }

    private record Unsent(List<Message> batch, CompletableFuture<Void> future) {}

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      write();
      inner.send(batch);
    }

    @Override
    public synchronized CompletableFuture<Void> sendAsync(List<Message> batch) {
      if (ended) {
        return inner.sendAsync(batch);
      }
      CompletableFuture<Void> checked = inner.sendAsync(List.of());
      if (checked.isCompletedExceptionally()) {
        return checked;
      }
      Unsent one = new Unsent(batch, new Written(this));
      if (unsent.isEmpty()) {
        CompletableFuture.delayedExecutor(LATER_MILLIS, TimeUnit.MILLISECONDS).execute(this::write);
      }
      unsent.add(one);
      return one.future;
    }

    /** Written at the latest when somebody asks for it. */
    private static final class Written extends CompletableFuture<Void> {

      private final WritingLater sender;

      Written(WritingLater sender) {
        this.sender = sender;
      }

      @Override
      public Void get(long timeout, TimeUnit unit)
          throws InterruptedException, ExecutionException, TimeoutException {
        sender.write();
        return super.get(timeout, unit);
      }
    }

    private synchronized void write() {
      for (Unsent one = unsent.poll(); one != null; one = unsent.poll()) {
        CompletableFuture<Void> future = one.future;
        CompletableFuture<Void> told =
            inner
                .sendAsync(one.batch)
                .whenComplete(
                    (done, failure) -> {
                      if (failure == null) {
                        future.complete(null);
                      } else {
                        future.completeExceptionally(failure);
                      }
                    });
        assert told.isDone();
      }
    }

    synchronized void end(Unwritten what) {
      if (what == Unwritten.WRITTEN) {
        write();
      }
      for (Unsent one = unsent.poll(); one != null; one = unsent.poll()) {
        switch (what) {
          case DROPPED -> one.future.complete(null);
          case REJECTED -> {
            CompletableFuture<Void> written = inner.sendAsync(one.batch);
            one.future.completeExceptionally(
                new SendFailedException(
                    "closed, " + written.isDone(),
                    Collections.nCopies(one.batch.size(), Outcome.REJECTED),
                    null));
          }
          default -> {}
        }
      }
      ended = true;
    }

    @Override
    public void close() {
      end(onClose);
      super.close();
    }
  }
}
