package org.mqproof.crash;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Sender;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.SenderLog;

/** Sends as fast as it can and tells what it attempts and what is confirmed. */
final class SenderMain {

  private static final int BATCHES_IN_FLIGHT = 4;
  private static final int LARGEST_BATCH = 20;

  private SenderMain() {}

  /**
   * Sends until it is killed or its input ends.
   *
   * @param args system, queue, run, sender's number; then the settings
   */
  public static void main(String[] args) throws InterruptedException {
    Thread untilInputEnds = new Thread(SenderMain::endWithInput);
    untilInputEnds.setDaemon(true);
    untilInputEnds.start();
    Mq mq = Child.connect(args, 4);
    Sender sender = mq.sender(args[1]);
    int number = Integer.parseInt(args[3]);
    SenderLog log = new Ledger(Integer.parseInt(args[2])).sender(number);
    Random sizes = new Random(number);
    Semaphore free = new Semaphore(BATCHES_IN_FLIGHT);
    while (true) {
      free.acquire();
      List<Message> batch = Load.batch(1 + sizes.nextInt(LARGEST_BATCH));
      long first = log.stamp(batch, System.nanoTime());
      Child.tell("attempted " + first + " " + batch.size());
      Child.unawaited(
          sender
              .sendAsync(batch)
              .whenComplete(
                  (done, error) -> {
                    Child.tell(
                        error == null
                            ? "confirmed " + first + " " + batch.size()
                            : "failed " + error);
                    free.release();
                  }));
    }
  }

  private static void endWithInput() {
    try {
      if (System.in.read() < 0) {
        Runtime.getRuntime().halt(1);
      }
    } catch (IOException e) {
      Runtime.getRuntime().halt(2);
    }
  }
}
