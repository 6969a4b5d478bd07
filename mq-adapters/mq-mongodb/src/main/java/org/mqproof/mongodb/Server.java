package org.mqproof.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bson.Document;
import org.mqproof.MqException;

/**
 * The driver's client and the threads in which it is called. The driver blocks, and does not hear
 * an interrupt while it reads from a socket: so nobody's own thread ever waits in it.
 *
 * <p>Thread-safe.
 */
final class Server implements AutoCloseable {

  private final MongoSettings settings;
  private final MongoClient client;
  private final MongoDatabase database;
  private final ExecutorService threads;

  /** Connects in the background. */
  Server(MongoSettings settings) {
    this.settings = settings;
    client = MongoClients.create(settings.forDriver());
    database = client.getDatabase(settings.get(MongoSettings.DATABASE));
    threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "mqproof-mongodb");
              thread.setDaemon(true);
              return thread;
            });
  }

  MongoDatabase database() {
    return database;
  }

  MongoSettings settings() {
    return settings;
  }

  /**
   * Fails if there is no primary that lets us in, or if it has not the copies that are declared. A
   * router of a sharded cluster does not know.
   */
  void requireCopies() {
    Document node = call("connect", () -> database.runCommand(new Document("hello", 1)));
    boolean isRouter = "isdbgrid".equals(node.getString("msg"));
    int nodes = Math.max(1, size(node, "hosts") + size(node, "passives"));
    int copies = settings.get(MongoSettings.COPIES);
    if (!isRouter && nodes < copies) {
      throw new MqException(
          "%s: cannot connect: setting copies is %d, and nodes that hold data are %d; add nodes, or set copies to %d"
              .formatted(settings.endpoint(), copies, nodes, nodes));
    }
  }

  private static int size(Document node, String list) {
    List<String> names = node.getList(list, String.class);
    return names == null ? 0 : names.size();
  }

  /**
   * Runs something later, in a thread that may block.
   *
   * @throws IllegalStateException if this is closed
   */
  <T> Future<T> submit(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    execute(future);
    return future;
  }

  /**
   * Runs something later, in a thread that may block.
   *
   * @throws IllegalStateException if this is closed
   */
  void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException(
          "this connection to " + settings.endpoint() + " is closed", e);
    }
  }

  /**
   * Calls the driver and waits for it, at most the bound of every call.
   *
   * @param what for the error, for example {@code "create queue q"}
   * @throws MqException if it failed, or did not end in time
   */
  <T> T call(String what, Callable<T> call) {
    Future<T> answer = submit(call);
    try {
      return await(what, answer, settings.callBound());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException(
          "%s: interrupted in the attempt to %s".formatted(settings.endpoint(), what), e);
    }
  }

  /**
   * Waits for an answer.
   *
   * @throws MqException if it is a failure, or does not come in time
   */
  <T> T await(String what, Future<T> answer, Duration bound) throws InterruptedException {
    try {
      return answer.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      // Not as it is: it was thrown in another thread.
      throw Errors.failed(settings, what, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new MqException(
          "%s: cannot %s: no answer within %d ms"
              .formatted(settings.endpoint(), what, bound.toMillis()),
          e);
    }
  }

  /** Closes the connections. Threads that still wait for an answer end with their own bound. */
  @Override
  public void close() {
    threads.shutdownNow();
    client.close();
  }
}
