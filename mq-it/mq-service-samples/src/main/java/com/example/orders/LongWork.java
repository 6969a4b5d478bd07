package com.example.orders;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Receiver;

/** Work that takes longer than a claim period. For the thread that receives. */
public final class LongWork {

  private LongWork() {}

  // extend {
  /** Holds the claim while another thread works. The delivery is the only one in hand. */
  public static void process(
      Receiver receiver,
      Delivery delivery,
      Duration claimPeriod,
      ExecutorService executor,
      Consumer<Message> handler)
      throws InterruptedException, ExecutionException {
    Future<?> work = executor.submit(() -> handler.accept(delivery.message()));
    while (true) {
      try {
        work.get(claimPeriod.toMillis() / 3, TimeUnit.MILLISECONDS);
        receiver.ack(List.of(delivery)).get();
        return;
      } catch (TimeoutException e) {
        receiver.extend(List.of(delivery)).get(); // fails if the claim may have ended
      }
    }
  }
  // }
}
