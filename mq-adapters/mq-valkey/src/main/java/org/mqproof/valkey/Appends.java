package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * How messages get into the stream of one queue: those of one request in one pipeline, each with an
 * answer of its own, and one WAIT for all of them.
 *
 * <p>Thread-safe. Blocks.
 */
final class Appends implements GatheredSends.Store {

  private static final byte[] ONLY_IF_THERE = "NOMKSTREAM".getBytes(UTF_8);
  private static final byte[] NEXT_ID = "*".getBytes(UTF_8);

  /** The first field; the others are headers. */
  private static final byte[] BODY = "body".getBytes(UTF_8);

  private final Server server;
  private final Queues.Queue queue;

  Appends(Server server, Queues.Queue queue) {
    this.server = server;
    this.queue = queue;
  }

  /** Sends again what no node took, while another is about to be the primary. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    List<Integer> open = IntStream.range(0, messages.size()).boxed().toList();
    Throwable first = null;
    while (true) {
      List<Integer> sending = open;
      List<Integer> again = new ArrayList<>();
      boolean[] sent = new boolean[1];
      Throwable nobody = null;
      try {
        List<Object> answers =
            server.use(connection -> append(connection, messages, sending, sent));
        Throwable notConfirmed = server.whyNotConfirmed(answers.get(sending.size()));
        for (int i = 0; i < sending.size(); i++) {
          int index = sending.get(i);
          Object answer = answers.get(i);
          Throwable failure = answer instanceof byte[] ? notConfirmed : refusal(answer);
          outcomes[index] = answer instanceof byte[] ? Outcome.UNKNOWN : Outcome.REJECTED;
          if (failure == null) {
            outcomes[index] = Outcome.CONFIRMED;
          } else if (failure instanceof JedisException e
              && !(answer instanceof byte[])
              && Errors.isNoPrimary(e)) {
            nobody = e;
            again.add(index);
          } else if (first == null) {
            first = failure;
          }
        }
      } catch (JedisException | MqException e) {
        sending.forEach(index -> outcomes[index] = sent[0] ? Outcome.UNKNOWN : Outcome.REJECTED);
        return e;
      }
      if (nobody == null || !Server.hasTimeLeft(deadline)) {
        return first == null ? nobody : first;
      }
      open = again;
    }
  }

  private List<Object> append(
      Connection connection, List<Message> messages, List<Integer> sending, boolean[] sent) {
    sent[0] = true;
    for (int index : sending) {
      connection.sendCommand(Command.XADD, entry(messages.get(index)));
    }
    server.sendWait(connection);
    List<Object> answers = connection.getMany(sending.size() + 1);
    for (Object answer : answers) {
      if (answer instanceof JedisException e && Errors.isNoPrimary(e)) {
        connection.setBroken(); // the next one goes to another node
      }
    }
    return answers;
  }

  private byte[][] entry(Message message) {
    byte[][] entry = new byte[5 + 2 * message.headers().size()][];
    entry[0] = queue.key();
    entry[1] = ONLY_IF_THERE;
    entry[2] = NEXT_ID;
    entry[3] = BODY;
    entry[4] = message.body();
    int next = 5;
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      entry[next++] = header.getKey().getBytes(UTF_8);
      entry[next++] = header.getValue().getBytes(UTF_8);
    }
    return entry;
  }

  /** The message of an entry. Leaves out headers of other programs that are not valid. */
  static Message message(List<?> fields) {
    byte[] body = fields.size() < 2 ? new byte[0] : (byte[]) fields.get(1);
    if (fields.size() <= 2) {
      return new Message(body);
    }
    Map<String, String> headers = new HashMap<>();
    for (int i = 2; i + 1 < fields.size(); i += 2) {
      String name = new String((byte[]) fields.get(i), UTF_8);
      String value = new String((byte[]) fields.get(i + 1), UTF_8);
      if (Message.isValidHeader(name, value)) {
        headers.put(name, value);
      }
    }
    return new Message(body, headers);
  }

  private static Throwable refusal(@Nullable Object answer) {
    return answer instanceof JedisDataException e ? e : new MqException("there is no such queue");
  }
}
