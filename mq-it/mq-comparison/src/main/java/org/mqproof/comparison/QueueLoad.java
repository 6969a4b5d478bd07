package org.mqproof.comparison;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What the threads of one side do with a queue.
 *
 * @param batch messages that a step sends
 * @param senders threads that send
 * @param receivers threads that receive
 */
public record QueueLoad(int batch, int senders, int receivers) {

  /** Kept in the queue while both go on: enough for every step, and a backlog for none. */
  private static final int BATCHES_ON_THEIR_WAY = 40;

  private static final int MOMENT_MILLIS = 100;

  /**
   * Sends into a queue from which nobody takes anything.
   *
   * @param side to connect
   * @return a side whose rate is that of confirms
   */
  public Side send(QueueClient.Factory side) {
    return settings -> {
      QueueClient client = side.connect(settings);
      try {
        return Load.of(Collections.nCopies(senders, client::sender));
      } finally {
        client.close();
      }
    };
  }

  /**
   * Takes the second of two backlogs: the first one warms the client up.
   *
   * @param side to connect
   * @param backlog how many messages each has
   * @return a side whose rate is that of acks
   */
  public Side receive(QueueClient.Factory side, int backlog) {
    return settings -> {
      QueueClient client = side.connect(settings);
      try {
        Rate unused = backlog(client, backlog);
        return backlog(client, backlog);
      } finally {
        client.close();
      }
    };
  }

  private Rate backlog(QueueClient client, int messages) throws Exception {
    Load.Step sender = client.sender();
    for (int sent = 0; sent < messages; sent += batch) {
      int unused = sender.messages();
    }
    return Load.ofBacklog(
        messages / 4, messages * 9 / 10, Collections.nCopies(receivers, client::receiver));
  }

  /**
   * Sends and receives at the same time.
   *
   * @param side to connect
   * @return a side whose rate is that of acks
   */
  public Side flow(QueueClient.Factory side) {
    return settings -> {
      Semaphore room = new Semaphore(BATCHES_ON_THEIR_WAY * batch);
      QueueClient client = side.connect(settings);
      try {
        List<Load.Worker> workers = new ArrayList<>();
        workers.addAll(Collections.nCopies(senders, () -> sending(client.sender(), room)));
        workers.addAll(Collections.nCopies(receivers, () -> receiving(client.receiver(), room)));
        return Load.of(workers);
      } finally {
        client.close();
      }
    };
  }

  /**
   * The three workloads above, each compared with the same one of another client: {@code send-N},
   * {@code receive-N} and {@code flow-N}, where N is the batch.
   *
   * @param mq the adapter, for this load
   * @param others what the other client does
   * @param other the other client
   * @param backlog how many messages each backlog has
   * @param name of the other client
   * @param sends how it sends, in a few words
   * @param receives how it receives and acks
   * @return the workloads
   */
  public List<Workload> beside(
      QueueClient.Factory mq,
      QueueLoad others,
      QueueClient.Factory other,
      int backlog,
      String name,
      String sends,
      String receives) {
    return List.of(
        Workload.of("send-" + batch, send(mq), name + ": " + sends, others.send(other)),
        Workload.of(
            "receive-" + batch,
            receive(mq, backlog),
            name + ": " + receives,
            others.receive(other, backlog)),
        Workload.of(
            "flow-" + batch, flow(mq), name + ": both at the same time", others.flow(other)));
  }

  /** Sends when there is room. */
  Load.Step sending(Load.Step sender, Semaphore room) {
    return new Around(
        sender,
        () -> {
          if (room.tryAcquire(batch, MOMENT_MILLIS, TimeUnit.MILLISECONDS)) {
            int unused = sender.messages();
          }
          return 0;
        });
  }

  /** Makes room. */
  static Load.Step receiving(Load.Step receiver, Semaphore room) {
    return new Around(
        receiver,
        () -> {
          int acked = receiver.messages();
          room.release(acked);
          return acked;
        });
  }

  /** A call that makes the call of another step, which ends with it. */
  private record Around(Load.Step inner, Load.Step call) implements Load.Step {

    @Override
    public int messages() throws Exception {
      return call.messages();
    }

    @Override
    public void close() {
      inner.close();
    }
  }
}
