package org.mqproof.jmh;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/** A system that is wrong on purpose, for one thread per sender: what it does is a setting. */
public final class BrokenMqProvider implements MqProvider {

  /** What is wrong. */
  enum Fault {
    /** Every thousandth message is confirmed and thrown away. */
    LOSE,
    /** Every message is confirmed and thrown away. */
    SWALLOW,
    /** Every message is refused, at once. */
    REFUSE,
    /** No ack ever ends, and none settles anything. */
    ACKS_WITHOUT_END,
    /** Every ack succeeds at once, and none settles anything. */
    FORGET_ACKS,
    /** The last message of a receive comes first. */
    REORDER,
    /** Nothing: the control. */
    NONE
  }

  private static final Setting<Fault> FAULT =
      Setting.oneOf("fault", Fault.NONE, "What is wrong with it.");

  /** Let in whoever has it, and whoever has not; but nobody is to see it. */
  private static final Setting<String> PASSWORD = Setting.secret("password", "", "Of nobody.");

  /** For the service loader. */
  public BrokenMqProvider() {}

  @Override
  public String name() {
    return "broken";
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(FAULT, PASSWORD);
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    Fault fault = Settings.of(this, settings).get(FAULT);
    Map<String, String> sound = new HashMap<>();
    sound.put("broker", "below-broken");
    return new BrokenMq(MqProvider.named("memory").connect(sound), fault);
  }

  private record BrokenMq(Mq sound, Fault fault) implements Mq {

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
      return new BrokenSender(sound.sender(queue), fault);
    }

    @Override
    public Receiver receiver(String queue) {
      return new BrokenReceiver(sound.receiver(queue), fault);
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

  private record BrokenReceiver(Receiver sound, Fault fault) implements Receiver {

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      List<Delivery> batch = new ArrayList<>(sound.receive(max, timeout));
      if (fault == Fault.REORDER) {
        Collections.rotate(batch, 1);
      }
      return batch;
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return switch (fault) {
        case ACKS_WITHOUT_END -> new CompletableFuture<>();
        case FORGET_ACKS -> CompletableFuture.completedFuture(null);
        default -> sound.ack(deliveries);
      };
    }

    @Override
    public void close() {
      sound.close();
    }
  }

  private static final class BrokenSender implements Sender {
    private final Sender sound;
    private final Fault fault;
    private long sent;

    BrokenSender(Sender sound, Fault fault) {
      this.sound = sound;
      this.fault = fault;
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      sound.send(spoil(batch));
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return sound.sendAsync(spoil(batch));
    }

    private List<Message> spoil(List<Message> batch) {
      if (fault == Fault.REFUSE) {
        throw new SendFailedException(
            "broken: refused", Collections.nCopies(batch.size(), Outcome.REJECTED), null);
      }
      if (fault == Fault.SWALLOW) {
        return List.of();
      }
      long before = sent / 1000;
      sent += batch.size();
      return fault == Fault.LOSE && sent / 1000 > before ? batch.subList(1, batch.size()) : batch;
    }

    @Override
    public void close() {
      sound.close();
    }
  }
}
