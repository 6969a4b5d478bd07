package org.mqproof.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.mqproof.MqException;
import org.mqproof.support.Arguments;
import org.mqproof.support.Promise;
import org.mqproof.support.Retries;

/**
 * The stream and the consumer of each queue. A stream has its queue's name and one subject, also
 * that; {@code .}, which neither can have, is {@code ~} there. The consumer of each stream has a
 * name of its own: what is still acked of a queue that was deleted cannot settle a message of a
 * later one of the same name.
 *
 * <p>Thread-safe: no state of its own. Its methods block.
 */
final class Queues {

  private static final String CONSUMER_PREFIX = "mqproof-";

  /** Receivers that wait at the same time; the default, 512, would turn others away. */
  private static final long MOST_WAITING = 10_000;

  /**
   * For how long a queue must be missing to be taken for one that does not exist: the server that
   * leads the others answers so of a queue just made whose entry it has not read yet.
   */
  private static final long MISSING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Server server;
  private final NatsSettings settings;

  Queues(Server server) {
    this.server = server;
    settings = server.settings();
  }

  /** The stream and the consumer of a queue, for as long as the queue is not deleted. */
  record Queue(String name, String subject, String stream, String consumer) {}

  private static String stream(String queue) {
    return queue.replace('.', '~');
  }

  /**
   * The queue of that name.
   *
   * @throws MqException if there is none, or it cannot keep what the settings promise
   */
  Queue get(String name) throws IOException, InterruptedException, JetStreamApiException {
    Arguments.requireQueueName(name);
    try {
      return get(name, System.nanoTime() + MISSING_NANOS);
    } catch (IOException e) {
      throw server.explained(e, stream(name));
    }
  }

  private Queue get(String name, long deadlineNanos)
      throws IOException, InterruptedException, JetStreamApiException {
    JetStreamManagement management = server.management();
    String stream = stream(name);
    return unlessMissing(
            deadlineNanos,
            () -> {
              StreamConfiguration found = management.getStreamInfo(stream).getConfiguration();
              List<String> consumers = management.getConsumerNames(stream);
              if (consumers.isEmpty()) { // another client is about to make it
                return Optional.empty();
              }
              String consumer = consumers.get(0);
              requirePromise(
                  name,
                  found,
                  management.getConsumerInfo(stream, consumer).getConsumerConfiguration());
              return Optional.of(new Queue(name, found.getSubjects().get(0), stream, consumer));
            })
        .orElseThrow(
            () -> new MqException("%s: there is no queue %s".formatted(settings.endpoint(), name)));
  }

  /** Whether the queue is still there. */
  boolean exists(Queue queue) throws IOException, InterruptedException, JetStreamApiException {
    JetStreamManagement management = server.management();
    return unlessMissing(
            System.nanoTime() + MISSING_NANOS,
            () -> Optional.of(management.getConsumerInfo(queue.stream(), queue.consumer())))
        .isPresent();
  }

  private interface Look<T> {
    Optional<T> look() throws IOException, JetStreamApiException;
  }

  /** Asks until there is something, or what is missing was missing until the deadline. */
  private static <T> Optional<T> unlessMissing(long deadlineNanos, Look<T> look)
      throws IOException, JetStreamApiException {
    while (true) {
      try {
        Optional<T> found = look.look();
        if (found.isPresent()) {
          return found;
        }
      } catch (JetStreamApiException e) {
        if (!Errors.isMissing(e)) {
          throw e;
        }
      }
      if (!Retries.hasTimeLeft(deadlineNanos)) {
        return Optional.empty();
      }
    }
  }

  /** Whether a request failed because the queue is gone, and not for want of a leader. */
  boolean isGone(Queue queue, Throwable failure) {
    try {
      return Errors.isNobodyThere(failure) && !exists(queue);
    } catch (IOException | JetStreamApiException e) {
      return false; // nobody knows
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Asks again when there is no answer, or the queue is missing that was just made: of several
   * clients that make the same queue at the same time a cluster does not answer each.
   */
  void create(String name) throws IOException, InterruptedException, JetStreamApiException {
    long deadline = System.nanoTime() + settings.stepBound().multipliedBy(2).toNanos();
    while (true) {
      try {
        createOnce(name, deadline);
        Queue unused = get(name, deadline);
        return;
      } catch (IOException e) {
        if (server.isRefused(stream(name)) || !Retries.hasTimeLeft(deadline)) {
          throw server.explained(e, stream(name));
        }
      } catch (JetStreamApiException e) { // missing, as for MISSING_NANOS
        if (!Errors.isMissing(e) || !Retries.hasTimeLeft(deadline)) {
          throw e;
        }
      }
    }
  }

  private void createOnce(String name, long deadlineNanos)
      throws IOException, InterruptedException, JetStreamApiException {
    Duration patience = settings.stepBound().dividedBy(3);
    JetStreamManagement management = server.management(patience);
    String stream = stream(name);
    createStream(management, stream);
    while (management.getConsumerNames(stream).isEmpty()) {
      if (!createConsumer(management, stream) && !Retries.hasTimeLeft(deadlineNanos)) {
        break; // another client is about to make it
      }
    }
  }

  private void createStream(JetStreamManagement management, String stream)
      throws IOException, JetStreamApiException {
    try {
      StreamInfo unused =
          management.addStream(
              StreamConfiguration.builder()
                  .name(stream)
                  .subjects(stream)
                  .retentionPolicy(RetentionPolicy.WorkQueue)
                  .storageType(StorageType.File)
                  .discardPolicy(DiscardPolicy.New)
                  .replicas(settings.get(NatsSettings.REPLICAS))
                  .build());
    } catch (JetStreamApiException e) {
      // With another configuration, which get looks at.
      if (e.getApiErrorCode() != Errors.STREAM_NAME_IN_USE) {
        throw e;
      }
    }
  }

  private boolean createConsumer(JetStreamManagement management, String stream)
      throws IOException, JetStreamApiException {
    String name =
        CONSUMER_PREFIX + Long.toString(ThreadLocalRandom.current().nextLong(1L << 60), 36);
    try {
      var unused =
          management.createConsumer(
              stream,
              ConsumerConfiguration.builder()
                  .durable(name)
                  .deliverPolicy(DeliverPolicy.All)
                  .ackPolicy(AckPolicy.Explicit)
                  .ackWait(settings.bounds().hidden())
                  .maxDeliver(-1)
                  .maxAckPending(settings.get(NatsSettings.MAX_ACK_PENDING))
                  .maxPullWaiting(MOST_WAITING)
                  .build());
      return true;
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() == Errors.WORK_QUEUE_HAS_A_CONSUMER) {
        return false; // of another client
      }
      throw e;
    }
  }

  void delete(String name) throws IOException, InterruptedException, JetStreamApiException {
    try {
      boolean unused = server.management().deleteStream(stream(name));
    } catch (JetStreamApiException e) {
      if (!Errors.isMissing(e)) {
        throw e;
      }
    } catch (IOException e) {
      throw server.explained(e, stream(name));
    }
  }

  private void requirePromise(
      String name, StreamConfiguration stream, ConsumerConfiguration consumer) {
    if (settings.get(NatsSettings.CHECK_QUEUE)) {
      Promise.require(
          settings.endpoint(),
          "queue " + name,
          QueuePromise.broken(settings, stream, consumer),
          NatsSettings.CHECK_QUEUE.key());
    }
  }
}
