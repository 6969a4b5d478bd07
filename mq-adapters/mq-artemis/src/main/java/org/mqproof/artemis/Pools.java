package org.mqproof.artemis;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/**
 * The threads of one connection. The client's own pools are either shared by the whole JVM and
 * never end, or end a moment before the socket's last event, which is then logged as an error.
 * Thread-safe.
 */
final class Pools {

  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor tasks;
  private final ScheduledExecutorService checks;

  Pools(String address) {
    ThreadFactory threads =
        task -> {
          Thread thread = new Thread(task, "mqproof-artemis-client-" + address);
          thread.setDaemon(true);
          return thread;
        };
    tasks =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads,
            // Only a connection that is closed already is refused, and has nothing left to do.
            new ThreadPoolExecutor.DiscardPolicy());
    checks = Executors.newSingleThreadScheduledExecutor(threads);
  }

  void giveTo(ServerLocator locator) {
    if (!locator.setThreadPools(tasks, checks, tasks)) {
      throw new IllegalStateException("the client has threads already");
    }
  }

  void end() {
    tasks.shutdown();
    checks.shutdownNow();
  }
}
