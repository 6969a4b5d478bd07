package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;

/** Ways to get sending wrong. As thread-safe as what they wrap. */
final class BrokenSenders {

  private static final int CLIENT_LIMIT = 500;

  private BrokenSenders() {}

  /** A batch above the client's limit is cut, and called sent. */
  static Mq batchCut(Mq healthy) {
    return cut(healthy, size -> Math.min(CLIENT_LIMIT, size));
  }

  /** The length of a batch is written in 16 bits, and the rest counts as sent. */
  static Mq countedIn16Bits(Mq healthy) {
    return cut(healthy, size -> size & 0xFFFF);
  }

  private static Mq cut(Mq healthy, IntUnaryOperator sizes) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            List<Message> cut = batch.subList(0, sizes.applyAsInt(batch.size()));
            try {
              inner.send(cut);
            } catch (SendFailedException e) {
              List<Outcome> outcomes = new ArrayList<>(e.outcomes());
              outcomes.addAll(Collections.nCopies(batch.size() - cut.size(), Outcome.CONFIRMED));
              throw new SendFailedException(String.valueOf(e.getMessage()), outcomes, e);
            }
          }
        };
      }
    };
  }

  /** What the broker refused counts as sent: the boolean of the confirm is not looked at. */
  static Mq ignoredNack(Mq healthy) {
    return swallowing(
        healthy, failure -> String.valueOf(failure.getMessage()).contains("was deleted"));
  }

  /** The call succeeded, so its failed entries are not looked at. */
  static Mq swallowedPartialFailure(Mq healthy) {
    return swallowing(healthy, failure -> failure.outcomes().contains(Outcome.CONFIRMED));
  }

  /** A timeout is taken for success: "it will have arrived". */
  static Mq timeoutIsSuccess(Mq healthy) {
    return swallowing(
        openedLate(healthy),
        failure -> String.valueOf(failure.getMessage()).contains("did not answer"));
  }

  /** Outcomes of a batch that failed in part are all REJECTED. */
  static Mq allRejected(Mq healthy) {
    return Forwarding.failing(
        healthy,
        (batch, e) -> {
          throw new SendFailedException(
              String.valueOf(e.getMessage()),
              batch.stream().map(message -> Outcome.REJECTED).toList(),
              e);
        });
  }

  /** Bodies go through a String. */
  static Mq textBodies(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message ->
                        new Message(
                            new String(message.body(), UTF_8).getBytes(UTF_8), message.headers()))
                .toList());
  }

  /** An empty body becomes a terminating zero. */
  static Mq emptyBodyPadded(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message ->
                        message.body().length == 0
                            ? new Message(new byte[1], message.headers())
                            : message)
                .toList());
  }

  /** A body too large takes the rest of its batch with it, and all are told so. */
  static Mq tooLargeTakesTheBatch(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            requireAllFit(batch);
            inner.send(batch);
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            try {
              requireAllFit(batch);
            } catch (SendFailedException e) {
              return CompletableFuture.failedFuture(e);
            }
            return inner.sendAsync(batch);
          }
        };
      }

      private void requireAllFit(List<Message> batch) {
        int largest = traits().largestBodyBytes();
        if (batch.stream().anyMatch(message -> message.body().length > largest)) {
          throw new SendFailedException(
              "too large", batch.stream().map(message -> Outcome.REJECTED).toList(), null);
        }
      }
    };
  }

  /** Batches are deduplicated by number, and every sender of a connection counts from 0. */
  static Mq deduplicationMixesSenders(Mq healthy) {
    Map<String, AtomicLong> nextNumbers = new ConcurrentHashMap<>();
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        AtomicLong next = nextNumbers.computeIfAbsent(queue, q -> new AtomicLong());
        return new ForwardingSender(sender) {
          private long number;

          @Override
          public void send(List<Message> batch) throws InterruptedException {
            long mine = number++;
            boolean isNew = next.getAndUpdate(n -> Math.max(n, mine + 1)) <= mine;
            inner.send(isNew ? batch : List.of());
          }
        };
      }
    };
  }

  /** When the broker is dead, send waits for ever. */
  static Mq hangOnBrokerDeath(Mq healthy) {
    return Forwarding.failing(
        openedLate(healthy),
        (batch, e) -> {
          if (String.valueOf(e.getMessage()).contains("refused")) {
            new CountDownLatch(1).await();
          }
          throw e;
        });
  }

  /** An interrupt is wrapped in the client's own exception. */
  static Mq wrappedInterrupt(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) {
            try {
              inner.send(batch);
            } catch (InterruptedException e) {
              throw new MqException("interrupted", e);
            }
          }
        };
      }
    };
  }

  private static Mq swallowing(Mq healthy, Predicate<SendFailedException> swallowed) {
    return Forwarding.failing(
        healthy,
        (batch, e) -> {
          if (!swallowed.test(e)) {
            throw e;
          }
        });
  }

  /** Finds out that the broker is dead or hung when it sends. */
  private static Mq openedLate(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      public Sender sender(String queue) {
        try {
          return inner.sender(queue);
        } catch (MqException e) {
          if (String.valueOf(e.getMessage()).startsWith("no queue")) {
            throw e;
          }
          return new NeverConnected(e);
        }
      }
    };
  }

  private record NeverConnected(MqException why) implements Sender {

    @Override
    public void send(List<Message> batch) {
      throw failure(batch);
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return CompletableFuture.failedFuture(failure(batch));
    }

    private SendFailedException failure(List<Message> batch) {
      return new SendFailedException(
          String.valueOf(why.getMessage()),
          batch.stream().map(message -> Outcome.UNKNOWN).toList(),
          why);
    }

    @Override
    public void close() {
      // nothing was opened
    }
  }

  /** Pages of 256: a last page of one message is taken for none. */
  static Mq lastPageOfOneForgotten(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            boolean one = batch.size() > 256 && batch.size() % 256 == 1;
            one &= // else it has outcomes, of which one is missing
                batch.stream().allMatch(m -> m.body().length <= traits().largestBodyBytes());
            inner.send(one ? batch.subList(0, batch.size() - 1) : batch);
          }
        };
      }
    };
  }

  /** What does not fit into the client's buffer is dropped, and its future completed. */
  static Mq burstDropped(Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              private long since = System.nanoTime();
              private int buffered;

              @Override
              public CompletableFuture<Void> sendAsync(List<Message> batch) {
                if (System.nanoTime() - since > 100_000_000) {
                  since = System.nanoTime();
                  buffered = 0;
                }
                return ++buffered > 1_000
                    ? CompletableFuture.completedFuture(null)
                    : inner.sendAsync(batch);
              }
            });
  }
}
