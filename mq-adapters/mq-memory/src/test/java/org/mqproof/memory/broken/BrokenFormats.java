package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;
import org.mqproof.memory.broken.Forwarding.WrappingReceiver;

/**
 * Ways to guess what a body or a header is, and ways to wait for a broker that does not answer. As
 * thread-safe as what they wrap.
 */
final class BrokenFormats {

  private static final int LARGEST_INSIDE = 1 << 16;
  private static final long BOUND_NANOS = 400_000_000;

  private BrokenFormats() {}

  private static Mq changingBodies(Mq healthy, UnaryOperator<byte[]> change) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message -> {
                      byte[] changed = change.apply(message.body());
                      return changed == message.body()
                          ? message
                          : new Message(changed, message.headers());
                    })
                .toList());
  }

  /** What is a gzip file is unpacked on its way. */
  static Mq gzipUnpacked(Mq healthy) {
    return changingBodies(healthy, BrokenFormats::unpacked);
  }

  private static byte[] unpacked(byte[] body) {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
      return in.readAllBytes();
    } catch (IOException e) {
      return body; // none
    }
  }

  /** What looks like JSON is parsed, and written again without spaces. */
  static Mq jsonRewritten(Mq healthy) {
    return changingBodies(
        healthy,
        body ->
            body.length > 1 && body[0] == '{' && body[body.length - 1] == '}'
                ? new String(body, ISO_8859_1).replace(" ", "").getBytes(ISO_8859_1)
                : body);
  }

  /** Headers whose names the client uses itself are left out. */
  static Mq reservedHeadersLeftOut(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(
                    message -> {
                      Map<String, String> headers = new HashMap<>(message.headers());
                      boolean changed = headers.keySet().removeIf(name -> name.startsWith("x-"));
                      return changed ? new Message(message.body(), headers) : message;
                    })
                .toList());
  }

  /** A body above 64 KiB is kept apart from its message, and deleted once that is received. */
  static Mq largeBodyReadOnce(Mq healthy) {
    return Forwarding.breaking(
        healthy,
        (queue, receiver) ->
            new WrappingReceiver(receiver) {
              @Override
              Delivery wrapped(Delivery delivery) {
                Message stored = delivery.message();
                boolean gone =
                    delivery.attempt().orElse(1) > 1 && stored.body().length > LARGEST_INSIDE;
                Message message = gone ? new Message(new byte[0], stored.headers()) : stored;
                return new Delivery() {
                  @Override
                  public Message message() {
                    return message;
                  }

                  @Override
                  public OptionalInt attempt() {
                    return delivery.attempt();
                  }
                };
              }
            });
  }

  /** An empty batch needs no sender that is open. */
  static Mq emptyBatchAfterClose(Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              @Override
              public void send(List<Message> batch) throws InterruptedException {
                if (!batch.isEmpty()) {
                  inner.send(batch);
                }
              }
            });
  }

  /** A send that is interrupted leaves the thread that waits for its confirm. */
  static Mq interruptedSendLeavesAThread(BrokenConnections run, Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              @Override
              public void send(List<Message> batch) throws InterruptedException {
                try {
                  inner.send(batch);
                } catch (InterruptedException e) {
                  var unused = run.startThread("confirm waiter", new CountDownLatch(1));
                  throw e;
                }
              }
            });
  }

  /** In an interrupted thread sendAsync writes nothing, and says that it did. */
  static Mq interruptedSendAsyncDropped(Mq healthy) {
    return Forwarding.breakingSenders(
        healthy,
        sender ->
            new ForwardingSender(sender) {
              @Override
              public CompletableFuture<Void> sendAsync(List<Message> batch) {
                return inner.sendAsync(Thread.currentThread().isInterrupted() ? List.of() : batch);
              }
            });
  }

  /** A sender of a broker that does not answer waits in sendAsync for ever. */
  static Mq sendAsyncHangs(Mq healthy) {
    return unanswered(
        healthy,
        new Unanswered() {
          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            hang();
            return super.sendAsync(batch);
          }
        });
  }

  /** A sender's close waits for ever for what the broker does not answer. */
  static Mq senderCloseHangs(Mq healthy) {
    return unanswered(
        healthy,
        new Unanswered() {
          @Override
          public void close() {
            hang();
          }
        });
  }

  /** A send that waits for its confirm is not interrupted. */
  static Mq waitingSendIgnoresInterrupts(Mq healthy) {
    return unanswered(
        healthy,
        new Unanswered() {
          @Override
          public void send(List<Message> batch) {
            boolean interrupted = false;
            long start = System.nanoTime();
            while (System.nanoTime() - start < BOUND_NANOS) {
              LockSupport.parkNanos(BOUND_NANOS);
              interrupted |= Thread.interrupted();
            }
            if (interrupted) {
              Thread.currentThread().interrupt();
            }
            throw noAnswer(batch);
          }
        });
  }

  private static Mq unanswered(Mq healthy, Sender ofAHungBroker) {
    return new ForwardingMq(healthy) {
      @Override
      public Sender sender(String queue) {
        try {
          return inner.sender(queue);
        } catch (MqException e) {
          if (String.valueOf(e.getMessage()).contains("did not answer")) {
            return ofAHungBroker;
          }
          throw e;
        }
      }
    };
  }

  /** Finds out that the broker does not answer when it sends. */
  private static class Unanswered implements Sender {

    static void hang() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new MqException("interrupted, while memory:sick did not answer", e);
      }
    }

    static SendFailedException noAnswer(List<Message> batch) {
      return new SendFailedException(
          "memory:sick did not answer",
          batch.stream().map(message -> Outcome.UNKNOWN).toList(),
          null);
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      throw noAnswer(batch);
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return CompletableFuture.failedFuture(noAnswer(batch));
    }

    @Override
    public void close() {
      // nothing is open
    }
  }
}
