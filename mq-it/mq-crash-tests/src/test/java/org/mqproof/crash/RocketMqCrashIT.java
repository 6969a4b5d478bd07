package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/** Every replica in sync confirms each message, two of three at least, and the leader's disk. */
@Tag("full")
class RocketMqCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "20s", "call.bound", "20s", "connect.bound", "3s");

  /** After 3 s the broker refuses to change a claim, as that is not stored yet. */
  private static final Duration SLOW = Duration.ofSeconds(4);

  RocketMqCrashIT() {
    super("rocketmq", MODE);
  }

  @Override
  @Seeds.Each
  void alo18_alo20_leaderPaused(long seed) {
    abort(
        "another broker is elected, but the third goes on asking the paused one, so that too few"
            + " are in sync and nothing is confirmed");
  }

  /** The leader waits until the paused node has stored it too. */
  @Test
  @DisplayName("ALO-25 a message is released also while the leader is slow to store that")
  void alo25_releasedWhileTheLeaderIsSlow() throws Exception {
    try (Sender sender = mq().sender(queue);
        Receiver receiver = mq().receiver(queue)) {
      sender.send(List.of(new Message(new byte[] {1})));
      List<Delivery> claimed = receiver.receive(1, PATIENCE);
      assertThat(claimed).hasSize(1);
      int follower = cluster().leader(queue) % cluster().nodes() + 1;
      cluster().pause(follower);

      CompletableFuture<Void> released = receiver.release(claimed);
      CompletableFuture.runAsync(
              () -> cluster().resume(follower),
              CompletableFuture.delayedExecutor(SLOW.toSeconds(), TimeUnit.SECONDS))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      released.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      List<Delivery> again = receiver.receive(1, PATIENCE);
      assertThat(again).hasSize(1);
      receiver.ack(again).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
