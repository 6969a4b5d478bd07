package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * What a queue's own arguments would do against the promise. AMQP tells no client of them, but a
 * broker refuses to declare a queue again with others, and names the first that differs. Policies
 * stay unknown. Thread-safe: no state.
 */
final class QueuePromise {

  /** With another value than that of a queue created here, messages would be lost. */
  private static final Set<String> LOSING =
      Set.of(
          "durable",
          "auto_delete",
          "x-delivery-limit",
          "x-expires",
          "x-max-age",
          "x-max-length",
          "x-max-length-bytes",
          "x-message-ttl");

  private static final String TYPE = "x-queue-type";

  private static final String NONE = "none";

  private static final Pattern DIFFERENCE =
      Pattern.compile("inequivalent arg '([^']+)'.*: received (.*) but current is (.*)");

  private static final Pattern VALUE =
      Pattern.compile("(?:the value )?'([^']*)'(?: of type '(\\w+)')?");

  private QueuePromise() {}

  /** The first argument of a queue that differs from what it was declared with. */
  record Difference(String name, String declared, String current, String type) {

    /** What a broker's refusal says; empty if it refused something else. */
    static Optional<Difference> of(@Nullable String refusal) {
      Matcher text = DIFFERENCE.matcher(String.valueOf(refusal));
      if (!text.find()) {
        return Optional.empty();
      }
      Matcher current = VALUE.matcher(text.group(3));
      boolean typed = current.matches() && current.group(2) != null;
      return Optional.of(
          new Difference(
              text.group(1),
              value(text.group(2)),
              value(text.group(3)),
              typed ? current.group(2) : ""));
    }

    private static String value(String text) {
      Matcher value = VALUE.matcher(text);
      return value.matches() ? value.group(1) : text;
    }

    boolean loses() {
      // queue.type=plain takes any type.
      return LOSING.contains(name) || (name.equals(TYPE) && !declared.equals(NONE));
    }

    /** What the queue has, as an argument; null if it has none, or it is of no known type. */
    private @Nullable Object argument() {
      return switch (type) {
        case "longstr" -> current;
        case "bool" -> Boolean.valueOf(current);
        case "byte", "short", "signedint", "unsignedint", "long" ->
            current.matches("-?\\d{1,18}") ? Long.valueOf(current) : null;
        default -> null;
      };
    }

    @Override
    public String toString() {
      return "%s is %s, must be %s".formatted(name, current, declared);
    }
  }

  /**
   * What is wrong with a queue, as far as the broker tells this user. A queue that somebody deletes
   * in the middle of it may be made again.
   *
   * @return "setting is value, must be ..."; empty if nothing is, or there is no such queue
   * @throws MqException if the broker does not answer
   */
  static List<String> broken(RabbitSettings settings, Link link, String queue) {
    Map<String, Object> arguments =
        new HashMap<>(settings.queueArguments(link.brokerMajorVersion()));
    Set<String> differing = new HashSet<>();
    while (true) {
      try {
        link.call(
            "see the configuration of queue " + queue,
            channel -> {
              String name = settings.physicalName(queue);
              AMQP.Queue.DeclareOk there = channel.queueDeclarePassive(name);
              AMQP.Queue.DeclareOk unused =
                  channel.queueDeclare(there.getQueue(), true, false, false, arguments);
            });
        return List.of();
      } catch (MqException e) {
        if (Errors.isMissing(e) || Errors.isDenied(e)) {
          return List.of();
        }
        Optional<Difference> difference = Difference.of(Errors.reason(e));
        if (difference.isEmpty()) {
          throw e;
        }
        Difference found = difference.get();
        if (found.loses()) {
          return List.of(found.toString());
        }
        Object current = found.argument();
        if (current == null) {
          arguments.remove(found.name());
        } else {
          arguments.put(found.name(), current);
        }
        if (!differing.add(found.name())) {
          return List.of(); // it differs as before: there is no asking for what comes after it
        }
      }
    }
  }
}
