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
   * Receives at least so many messages and then waits to be killed.
   *
   * @param args system, queue, how many; then the settings
   */
  public static void main(String[] args) throws InterruptedException, IOException {
    Mq mq = Child.connect(args, 3);
    Receiver receiver = mq.receiver(args[1]);
    int wanted = Integer.parseInt(args[2]);
    int claimed = 0;
    while (claimed < wanted) {
      List<Delivery> batch = receiver.receive(wanted - claimed, Duration.ofSeconds(1));
      for (Delivery delivery : batch) {
        Child.tell("claimed " + Base64.getEncoder().encodeToString(delivery.message().body()));
      }
      claimed += batch.size();
    }
    Child.tell("holding");
    if (System.in.read() < 0) {
      Runtime.getRuntime().halt(1); // the test is gone, and closing would give the messages back
    }
  }
}
