package org.mqproof.ledger;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.mqproof.Message;

/** Records for ever, and tells on its standard output how far it has come: it is to be killed. */
final class RecorderMain {

  private RecorderMain() {}

  /**
   * Starts a sender and a receiver.
   *
   * @param args the file and the run
   */
  public static void main(String[] args) throws Exception {
    Ledger ledger = Ledger.recordedTo(Path.of(args[0]), Integer.parseInt(args[1]), "to be killed");
    BlockingQueue<List<Message>> queue = new ArrayBlockingQueue<>(100);
    Thread receiving = new Thread(() -> receive(ledger.newReceiver(), queue));
    receiving.setDaemon(true);
    receiving.start();
    SenderLog log = ledger.sender(0);
    while (true) {
      List<Message> batch = Bodies.messages(10);
      long first = log.stamp(batch, 1);
      queue.put(batch);
      log.confirmed(first, batch.size());
    }
  }

  /** A line is printed when all that it says is recorded: what was delivered was attempted. */
  private static void receive(ReceiverLog log, BlockingQueue<List<Message>> queue) {
    long messages = 0;
    long printed = System.nanoTime();
    try {
      while (true) {
        List<Message> batch = queue.take();
        log.delivered(Bodies.deliveries(batch), time -> {});
        log.givenToAck(Bodies.deliveries(batch));
        log.acked(Bodies.deliveries(batch));
        messages += batch.size();
        if (System.nanoTime() - printed > TimeUnit.MILLISECONDS.toNanos(20)) {
          System.out.println(System.currentTimeMillis() + " " + messages);
          printed = System.nanoTime();
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts this thread", e);
    }
  }
}
