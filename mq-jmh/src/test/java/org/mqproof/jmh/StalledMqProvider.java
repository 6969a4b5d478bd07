package org.mqproof.jmh;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/**
 * The queues of {@code mq-memory}, where now and then a send takes long: every {@code
 * -Dmqproof.test.stallEvery=N}th of a sender stalls for {@code -Dmqproof.test.stallMillis=N}.
 */
public final class StalledMqProvider implements MqProvider {

  /** For the service loader. */
  public StalledMqProvider() {}

  @Override
  public String name() {
    return "stalled";
  }

  @Override
  public List<Setting<?>> settings() {
    return MqProvider.named("memory").settings();
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    Map<String, String> below = new HashMap<>(settings);
    below.putIfAbsent("broker", "below-stalled");
    return new StalledMq(
        MqProvider.named("memory").connect(below),
        Integer.getInteger("mqproof.test.stallEvery", 1_000),
        TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("mqproof.test.stallMillis", 200)));
  }

  private record StalledMq(Mq sound, int every, long stallNanos) implements Mq {

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
      return new StalledSender(sound.sender(queue), every, stallNanos);
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
  private static final class StalledSender implements Sender {

    private final Sender sound;
    private final int every;
    private final long stallNanos;
    private int sends;

    StalledSender(Sender sound, int every, long stallNanos) {
      this.sound = sound;
      this.every = every;
      this.stallNanos = stallNanos;
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      sound.send(batch);
      if (++sends % every == 0) {
        long end = System.nanoTime() + stallNanos;
        while (System.nanoTime() - end < 0) {
          LockSupport.parkNanos(end - System.nanoTime());
          if (Thread.interrupted()) {
            throw new InterruptedException("stalled");
          }
        }
      }
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      throw new UnsupportedOperationException("only send stalls");
    }

    @Override
    public void close() {
      sound.close();
    }
  }
}
