package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Waits with a deadline. */
public final class Await {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Await() {}

  /** The next element. */
  public static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(next).as("next within %s", PATIENCE).isNotNull();
    return next;
  }
}
