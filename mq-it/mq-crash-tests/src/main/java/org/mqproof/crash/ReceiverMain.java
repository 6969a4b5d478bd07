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
   * Receives until it holds as many as wanted, or nothing more comes, and then waits to be killed.
   *
   * @param args system, queue, messages wanted; then the settings
   */
  public static void main(String[] args) throws InterruptedException, IOException {
    Mq mq = Child.connect(args, 3);
    Receiver receiver = mq.receiver(args[1]);
    int wanted = Integer.parseInt(args[2]);
    int held = 0;
    boolean more = true;
    while (held == 0 || (more && held < wanted)) {
      List<Delivery> batch = receiver.receive(wanted - held, Duration.ofSeconds(1));
      for (Delivery delivery : batch) {
        Child.tell("claimed " + Base64.getEncoder().encodeToString(delivery.message().body()));
      }
      held += batch.size();
      more = !batch.isEmpty();
    }
    Child.tell("holding");
    if (System.in.read() < 0) {
      Runtime.getRuntime().halt(1); // the test is gone, and closing would give the messages back
    }
  }
}
