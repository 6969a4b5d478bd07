package org.mqproof.memory.broken;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.WrappingReceiver;

/** Ways to get headers and attempts wrong. As thread-safe as what they wrap. */
final class BrokenHeaders {

  private static final int LONGEST_VALUE = 255;

  private BrokenHeaders() {}

  /** Headers are not sent. */
  static Mq dropped(Mq healthy) {
    return changingEach(healthy, message -> withHeaders(message, Map.of()));
  }

  /** A value goes into a column of 255 characters. */
  static Mq valuesCut(Mq healthy) {
    return changingEach(
        healthy,
        message -> {
          Map<String, String> cut = new HashMap<>();
          message
              .headers()
              .forEach(
                  (name, value) -> {
                    int end = Math.min(value.length(), LONGEST_VALUE);
                    end -= Character.isHighSurrogate(value.charAt(end - 1)) ? 1 : 0;
                    cut.put(name, value.substring(0, end));
                  });
          return message.headersBytes() > 1 << 16 ? message : withHeaders(message, cut);
        });
  }

  /** Values are normalized, as some databases and file systems do. */
  static Mq valuesComposed(Mq healthy) {
    return changingEach(
        healthy,
        message -> {
          Map<String, String> composed = new HashMap<>();
          message
              .headers()
              .forEach(
                  (name, value) ->
                      composed.put(name, Normalizer.normalize(value, Normalizer.Form.NFC)));
          return withHeaders(message, composed);
        });
  }

  /** What has no body has no record to keep headers in. */
  static Mq lostWithAnEmptyBody(Mq healthy) {
    return changingEach(
        healthy, message -> message.body().length == 0 ? withHeaders(message, Map.of()) : message);
  }

  /** Names are folded to lower case, as those of HTTP may be. */
  static Mq namesFolded(Mq healthy) {
    return changingEach(
        healthy,
        message -> {
          Map<String, String> folded = new HashMap<>();
          message
              .headers()
              .forEach((name, value) -> folded.put(name.toLowerCase(Locale.ROOT), value));
          return withHeaders(message, folded);
        });
  }

  /** What is above the system's limit of headers is left out. */
  static Mq tooManyCut(Mq healthy) {
    int most = healthy.traits().mostHeaders();
    return changingEach(
        healthy,
        message -> {
          if (message.headers().size() <= most) {
            return message;
          }
          Map<String, String> first = new HashMap<>();
          message.headers().entrySet().stream()
              .limit(most)
              .forEach(header -> first.put(header.getKey(), header.getValue()));
          return withHeaders(message, first);
        });
  }

  /** Headers are kept beside the bodies of a batch, and one off. */
  static Mq swapped(Mq healthy) {
    return Forwarding.changingBatches(
        healthy,
        batch -> {
          List<Message> swapped = new ArrayList<>();
          for (int i = 0; i < batch.size(); i++) {
            Message next = batch.get((i + 1) % batch.size());
            boolean large = batch.get(i).body().length > 1_000 || next.headersBytes() > 1 << 15;
            swapped.add(large ? batch.get(i) : withHeaders(batch.get(i), next.headers()));
          }
          return swapped;
        });
  }

  private static Message withHeaders(Message message, Map<String, String> headers) {
    return new Message(message.body(), headers);
  }

  private static Mq changingEach(Mq healthy, UnaryOperator<Message> change) {
    return Forwarding.changingBatches(
        healthy,
        batch ->
            batch.stream()
                .map(message -> message.headers().isEmpty() ? message : change.apply(message))
                .toList());
  }

  /** A message that comes again comes from another place, which keeps no headers. */
  static Mq lostOnRedelivery(Mq healthy) {
    return wrapping(
        healthy,
        delivery ->
            delivery.attempt().orElseThrow() == 1
                ? delivery
                : of(new Message(delivery.message().body()), delivery.attempt()));
  }

  /** Every delivery is called the first. */
  static Mq attemptStuckAtOne(Mq healthy) {
    return wrapping(healthy, delivery -> of(delivery.message(), OptionalInt.of(1)));
  }

  /** Attempts are counted up to three. */
  static Mq attemptStopsAtThree(Mq healthy) {
    return wrapping(
        healthy,
        delivery ->
            of(delivery.message(), OptionalInt.of(Math.min(3, delivery.attempt().orElseThrow()))));
  }

  /** Attempts are counted for the queue, and not for each message. */
  static Mq attemptsOfTheQueue(BrokenConnections run, Mq healthy) {
    return wrapping(
        healthy,
        delivery ->
            of(delivery.message(), OptionalInt.of(run.countOf("attempts").incrementAndGet())));
  }

  /** A delivery's attempt is read where extends are counted too. */
  static Mq attemptGrowsWithExtends(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new WrappingReceiver(receiver) {
          private final Set<Delivery> extended = ConcurrentHashMap.newKeySet();

          @Override
          Delivery wrapped(Delivery delivery) {
            return new Delivery() {
              @Override
              public Message message() {
                return delivery.message();
              }

              @Override
              public OptionalInt attempt() {
                int counted = delivery.attempt().orElseThrow();
                return OptionalInt.of(extended.contains(this) ? counted + 1 : counted);
              }
            };
          }

          @Override
          public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
            CompletableFuture<Void> done = super.extend(deliveries);
            extended.addAll(deliveries);
            return done;
          }
        };
      }
    };
  }

  /** Attempts are counted from zero. */
  static Mq attemptFromZero(Mq healthy) {
    return wrapping(
        healthy,
        delivery -> of(delivery.message(), OptionalInt.of(delivery.attempt().orElseThrow() - 1)));
  }

  private static Delivery of(Message message, OptionalInt attempt) {
    return new Delivery() {
      @Override
      public Message message() {
        return message;
      }

      @Override
      public OptionalInt attempt() {
        return attempt;
      }
    };
  }

  private static Mq wrapping(Mq healthy, UnaryOperator<Delivery> wrapping) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new WrappingReceiver(receiver) {
          @Override
          Delivery wrapped(Delivery delivery) {
            return wrapping.apply(delivery);
          }
        };
      }
    };
  }
}
