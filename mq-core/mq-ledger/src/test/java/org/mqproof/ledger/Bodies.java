package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.List;
import org.mqproof.Delivery;
import org.mqproof.Message;

/** Messages and deliveries for tests. */
final class Bodies {

  private Bodies() {}

  record Handed(Message message) implements Delivery {}

  static List<Message> messages(int count) {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(new Message(new byte[40]));
    }
    return messages;
  }

  static List<Delivery> deliveries(List<Message> messages) {
    return new ArrayList<>(messages.stream().map(Handed::new).toList());
  }

  static Message stamped(int run, int sender, long sequence) {
    Message message = new Message(new byte[40]);
    new Stamp().write(message.body(), run, sender, sequence, 0);
    return message;
  }

  static Message changed(Message message, int position, int by) {
    byte[] body = message.body().clone();
    body[position] ^= (byte) by;
    return new Message(body);
  }
}
