package com.example.crc;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** Another queue whose bodies carry a CRC-32. As thread-safe as that queue. */
public final class CrcMq implements Mq {

  private final Mq mq;

  /** Closes {@code mq} when it is closed. */
  public CrcMq(Mq mq) {
    this.mq = mq;
  }

  @Override
  public void createQueue(String queue) {
    mq.createQueue(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    mq.deleteQueue(queue);
  }

  @Override
  public Sender sender(String queue) {
    return new CrcSender(mq.sender(queue));
  }

  @Override
  public Receiver receiver(String queue) {
    return new CrcReceiver(mq.receiver(queue));
  }

  @Override
  public Traits traits() {
    Traits traits = mq.traits();
    Traits.Builder ours =
        Traits.mode(traits.mode())
            .durable(traits.durable())
            .copies(traits.copies())
            .replicationAwaited(traits.replicationAwaited())
            .redeliveryBound(traits.redeliveryBound())
            .ordering(traits.ordering())
            .ackMode(traits.ackMode())
            .largestBodyBytes(traits.largestBodyBytes() - Integer.BYTES)
            .mostInFlight(traits.mostInFlight())
            .callBound(traits.callBound());
    traits.claimPeriod().ifPresent(ours::claimPeriod);
    return ours.build();
  }

  @Override
  public void close() {
    mq.close();
  }

  private static int crc(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    return (int) crc.getValue();
  }

  private record CrcSender(Sender sender) implements Sender {

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      sender.send(signed(batch));
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      return sender.sendAsync(signed(batch));
    }

    @Override
    public void close() {
      sender.close();
    }

    private static List<Message> signed(List<Message> batch) {
      return batch.stream().map(message -> signed(message.body())).toList();
    }

    private static Message signed(byte[] body) {
      return new Message(
          ByteBuffer.allocate(body.length + Integer.BYTES).put(body).putInt(crc(body)).array());
    }
  }

  private record CrcReceiver(Receiver receiver) implements Receiver {

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      return receiver.receive(max, timeout).stream().map(CrcReceiver::verified).toList();
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return receiver.ack(deliveries.stream().map(CrcReceiver::signed).toList());
    }

    @Override
    public void close() {
      receiver.close();
    }

    private static Delivery verified(Delivery delivery) {
      byte[] signed = delivery.message().body();
      byte[] body = Arrays.copyOf(signed, signed.length - Integer.BYTES);
      if (ByteBuffer.wrap(signed).getInt(body.length) != crc(body)) {
        throw new MqException("a body was changed on its way", null);
      }
      return new CrcDelivery(delivery, new Message(body));
    }

    private static Delivery signed(Delivery delivery) {
      return delivery instanceof CrcDelivery ours ? ours.signed() : delivery;
    }
  }

  private record CrcDelivery(Delivery signed, Message message) implements Delivery {}
}
