package org.mqproof.jmh;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/**
 * The queues of {@code mq-memory}, slowed by a planted share: {@code -Dmqproof.test.slowdown=0.1}
 * takes a tenth of the rate. A property and not a setting, so that both runs have the same
 * parameters, as two builds have. With {@code -Dmqproof.test.roundTripMicros=50} each send takes
 * that long before, as if there were a broker: a sender that only fills memory is as fast as the
 * machine's caches and collectors are at that moment.
 */
public final class SlowedMqProvider implements MqProvider {

  /** For the service loader. */
  public SlowedMqProvider() {}

  @Override
  public String name() {
    return "slowed";
  }

  @Override
  public List<Setting<?>> settings() {
    return MqProvider.named("memory").settings();
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    double slowdown = Double.parseDouble(System.getProperty("mqproof.test.slowdown", "0"));
    Map<String, String> below = new HashMap<>(settings);
    below.putIfAbsent("broker", "below-slowed");
    long roundTripNanos = 1_000 * Long.getLong("mqproof.test.roundTripMicros", 0);
    return new SlowedMq(MqProvider.named("memory").connect(below), slowdown, roundTripNanos);
  }

  private record SlowedMq(Mq sound, double slowdown, long roundTripNanos) implements Mq {

    @Override
    public void createQueue(String queue) {
      sound.createQueue(queue);
    }

    @Override
    public void deleteQueue(String queue) {
      sound.deleteQueue(queue);
    }

    @Override
    public Sender sender(String queue) {
      return new SlowedSender(sound.sender(queue), slowdown, roundTripNanos);
    }

    @Override
    public Receiver receiver(String queue) {
      return sound.receiver(queue);
    }

    @Override
    public Traits traits() {
      return sound.traits();
    }

    @Override
    public void close() {
      sound.close();
    }
  }

  /** For one thread at a time. */
  private static final class SlowedSender implements Sender {

    /** A pause between iterations is no work. */
    private static final long LONGEST_CYCLE_NANOS = 1_000_000;

    private static final long LEAST_SPIN_NANOS = 2_000;

    private final Sender sound;
    private final double share;
    private final long roundTripNanos;
    private long lastNanos = System.nanoTime();
    private double owedNanos;

    SlowedSender(Sender sound, double slowdown, long roundTripNanos) {
      this.sound = sound;
      this.roundTripNanos = roundTripNanos;
      share = slowdown / (1 - slowdown);
    }

    /**
     * Owes a share of the time since the last send, whatever the caller did in it, and spins it off
     * once it is long against a look at the clock.
     */
    @Override
    public void send(List<Message> batch) throws InterruptedException {
      long begun = System.nanoTime();
      sound.send(batch);
      long now = System.nanoTime();
      while (now - begun < roundTripNanos) {
        now = System.nanoTime();
      }
      owedNanos += share * Math.min(now - lastNanos, LONGEST_CYCLE_NANOS);
      lastNanos = now;
      if (owedNanos < LEAST_SPIN_NANOS) {
        return;
      }
      while (lastNanos - now < owedNanos) {
        lastNanos = System.nanoTime();
      }
      owedNanos -= lastNanos - now;
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      throw new UnsupportedOperationException("only send is slowed");
    }

    @Override
    public void close() {
      sound.close();
    }
  }
}
