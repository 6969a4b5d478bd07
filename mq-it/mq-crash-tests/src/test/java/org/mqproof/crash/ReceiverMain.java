package org.mqproof.crash;

import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;

/** Claims messages, tells which, and never acks them. */
final class ReceiverMain {

  private ReceiverMain() {}

  /**
   * Receives one batch and then waits to be killed.
   *
   * @param args system, queue, most messages; then the settings
   */
  public static void main(String[] args) throws InterruptedException, IOException {
    Mq mq = Child.connect(args, 3);
    Receiver receiver = mq.receiver(args[1]);
    List<Delivery> batch = List.of();
    while (batch.isEmpty()) {
      batch = receiver.receive(Integer.parseInt(args[2]), Duration.ofSeconds(1));
    }
    for (Delivery delivery : batch) {
      Child.tell("claimed " + Base64.getEncoder().encodeToString(delivery.message().body()));
    }
    Child.tell("holding");
    if (System.in.read() < 0) {
      Runtime.getRuntime().halt(1); // the test is gone, and closing would give the messages back
    }
  }
}
