package org.mqproof.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.support.Causes;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.Retries;

/**
 * How messages get into the stream of one queue: all of one request are under way at a time, and
 * each has an answer of its own.
 *
 * <p>Thread-safe. Blocks.
 */
final class Publishes implements GatheredSends.Store {

  private final Server server;
  private final Queues queues;
  private final Queues.Queue queue;

  Publishes(Server server, Queues queues, Queues.Queue queue) {
    this.server = server;
    this.queues = queues;
    this.queue = queue;
  }

  /** Sends again what nobody took, while another server is about to lead the queue. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    List<Integer> open = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      open.add(i);
    }
    Throwable first = null;
    while (!open.isEmpty()) {
      Throwable nobody = null;
      List<Integer> again = new ArrayList<>();
      List<CompletableFuture<io.nats.client.Message>> answers = publish(messages, open, deadline);
      for (int i = 0; i < answers.size(); i++) {
        int index = open.get(i);
        Throwable failure = failure(answers.get(i));
        if (failure == null) {
          outcomes[index] = Outcome.CONFIRMED;
          continue;
        }
        outcomes[index] = Errors.isNotStored(failure) ? Outcome.REJECTED : Outcome.UNKNOWN;
        if (Errors.mayBeSentAgain(failure)) {
          nobody = failure;
          again.add(index);
        } else if (first == null) {
          first = failure;
        }
      }
      open = again;
      if (nobody != null && (queues.isGone(queue, nobody) || !Retries.hasTimeLeft(deadline))) {
        return nobody;
      }
    }
    return first;
  }

  private List<CompletableFuture<io.nats.client.Message>> publish(
      List<Message> messages, List<Integer> open, long deadlineNanos) {
    List<io.nats.client.Message> requests = new ArrayList<>(open.size());
    for (int index : open) {
      Message message = messages.get(index);
      requests.add(
          NatsMessage.builder()
              .subject(queue.subject())
              .headers(HeaderText.of(message))
              .data(message.body())
              .build());
    }
    return server.ask(requests, deadlineNanos);
  }

  /** Why a message was not confirmed, or null if it was. */
  private static @Nullable Throwable failure(CompletableFuture<io.nats.client.Message> answer) {
    try {
      PublishAck unused = new PublishAck(answer.join());
      return null;
    } catch (IOException | JetStreamApiException e) {
      return e;
    } catch (CompletionException | CancellationException e) {
      return Causes.first(e);
    }
  }
}
