package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** Every node, and all clients together, can send only so much, for some seconds. */
final class SlowNetwork extends Fault {

  private static final long BYTES_PER_SECOND = 50_000;
  private static final Duration LASTS = Duration.ofSeconds(5);

  SlowNetwork() {
    super("slow network", "ALO-20", Harms.CLIENT);
  }

  @Override
  protected void strike(Cell cell) {
    cell.cluster().slow(BYTES_PER_SECOND);
    cell.struck("network slow");
  }

  /** Bodies alone never fill what may be sent: every message has headers, and its ack. */
  @Override
  protected String tookEffect(Cell cell) {
    long before = cell.load().confirmed();
    cell.awaitRandom(LASTS, LASTS.plusMillis(1));
    long bytes = (cell.load().confirmed() - before) * Load.BODY_BYTES;
    assertThat(bytes)
        .as("bytes confirmed in %s", LASTS)
        .isLessThan(BYTES_PER_SECOND * LASTS.toSeconds());
    return "%d bytes confirmed in %s at %d bytes/s"
        .formatted(bytes, Await.millis(LASTS), BYTES_PER_SECOND);
  }

  @Override
  protected void whileItLasts(Cell cell) {
    cell.awaitEverySender();
  }
}
