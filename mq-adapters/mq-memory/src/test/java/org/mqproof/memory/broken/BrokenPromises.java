package org.mqproof.memory.broken;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.conformance.BrokenQueue;
import org.mqproof.memory.MemoryBroker;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;

/**
 * Ways to look at the configuration of a queue wrongly. {@link #checking} looks at it as it should.
 * As thread-safe as what they wrap.
 */
final class BrokenPromises {

  private static final String SENTENCE =
      "memory:well: queue %s cannot keep what the settings promise: %s is %s%s; change it";

  private BrokenPromises() {}

  /** What others configured; {@link MemoryBroker} has nothing to configure. */
  static final class Configured {

    private final Map<String, String> settings = new ConcurrentHashMap<>();

    /** For {@link org.mqproof.conformance.MqConformance#brokenQueues}. */
    Map<String, BrokenQueue> queues(MemoryBroker broker) {
      return Map.of(
          "max-length=10",
          queue -> {
            try (Mq mq = broker.connect()) {
              mq.createQueue(queue);
            }
            settings.put(queue, "max-length=10");
            return () -> settings.remove(queue);
          });
    }
  }

  /** Refuses what is configured so in each of the three calls. */
  static Mq checking(Mq healthy, Configured configured) {
    return new Checking(healthy, configured);
  }

  private static final class Checking extends ForwardingMq {

    private final Configured configured;

    Checking(Mq inner, Configured configured) {
      super(inner);
      this.configured = configured;
    }

    private void check(String queue) {
      String setting = configured.settings.get(queue);
      if (setting != null) {
        String[] pair = setting.split("=", 2);
        throw new MqException(SENTENCE.formatted(queue, pair[0], pair[1], ", must be none"));
      }
    }

    @Override
    public void createQueue(String queue) {
      check(queue);
      inner.createQueue(queue);
    }

    @Override
    public Sender sender(String queue) {
      check(queue);
      return inner.sender(queue);
    }

    @Override
    public Receiver receiver(String queue) {
      check(queue);
      return inner.receiver(queue);
    }
  }

  /** Nobody looks. */
  static Mq notLookedAt(Mq healthy) {
    return ((Checking) healthy).inner;
  }

  /** Whoever finds the queue there, and does not create it, loses messages. */
  static Mq lookedAtByCreateAlone(Mq healthy) {
    Mq unchecked = notLookedAt(healthy);
    return new ForwardingMq(healthy) {
      @Override
      public Sender sender(String queue) {
        return unchecked.sender(queue);
      }

      @Override
      public Receiver receiver(String queue) {
        return unchecked.receiver(queue);
      }
    };
  }

  /** Says what is set, and not to what. */
  static Mq valueNotNamed(Mq healthy) {
    return saying(healthy, text -> text.replace(" is 10", " is wrong"));
  }

  /** Says what is wrong, and not what would be right. */
  static Mq remedyNotNamed(Mq healthy) {
    return saying(healthy, text -> text.replace(", must be none", ""));
  }

  private static Mq saying(Mq healthy, UnaryOperator<String> words) {
    return new ForwardingMq(healthy) {
      private MqException said(MqException e) {
        return new MqException(words.apply(String.valueOf(e.getMessage())), e);
      }

      @Override
      public void createQueue(String queue) {
        try {
          inner.createQueue(queue);
        } catch (MqException e) {
          throw said(e);
        }
      }

      @Override
      public Sender sender(String queue) {
        try {
          return inner.sender(queue);
        } catch (MqException e) {
          throw said(e);
        }
      }

      @Override
      public Receiver receiver(String queue) {
        try {
          return inner.receiver(queue);
        } catch (MqException e) {
          throw said(e);
        }
      }
    };
  }
}
