package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.Retries;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
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
  private final byte[] stream;

  Appends(Server server, String queue) {
    this.server = server;
    stream = ValkeyMq.stream(queue).getBytes(UTF_8);
  }

  /** Sends again what no node took, while another is about to be the primary. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    while (true) {
      boolean[] sent = new boolean[1];
      try {
        List<Object> answers = server.use(connection -> append(connection, messages, sent));
        Throwable failure = outcomes(answers, outcomes);
        boolean nobody =
            answers.stream()
                .limit(messages.size())
                .allMatch(answer -> answer instanceof JedisException e && Errors.isNoPrimary(e));
        if (!nobody || !Retries.hasTimeLeft(deadline)) {
          return failure;
        }
      } catch (JedisException | MqException e) {
        Arrays.fill(outcomes, sent[0] ? Outcome.UNKNOWN : Outcome.REJECTED);
        return e;
      }
    }
  }

  private List<Object> append(Connection connection, List<Message> messages, boolean[] sent) {
    sent[0] = true;
    for (Message message : messages) {
      connection.sendCommand(Command.XADD, entry(message));
    }
    server.sendWait(connection);
    List<Object> answers = connection.getMany(messages.size() + 1);
    if (answers.stream()
        .anyMatch(one -> one instanceof JedisException e && Errors.isNoPrimary(e))) {
      connection.setBroken(); // the next one goes to another node
    }
    return answers;
  }

  /** Why not all were confirmed, or null. The last answer is that of the wait. */
  private @Nullable Throwable outcomes(List<Object> answers, @Nullable Outcome[] outcomes) {
    Throwable notConfirmed = server.whyNotConfirmed(answers.get(outcomes.length));
    Throwable refused = null;
    for (int i = 0; i < outcomes.length; i++) {
      if (answers.get(i) instanceof byte[]) {
        outcomes[i] = notConfirmed == null ? Outcome.CONFIRMED : Outcome.UNKNOWN;
      } else {
        outcomes[i] = Outcome.REJECTED;
        refused =
            answers.get(i) instanceof JedisException e
                ? e
                : new MqException("there is no such queue");
      }
    }
    return refused == null ? notConfirmed : refused;
  }

  private byte[][] entry(Message message) {
    List<byte[]> entry =
        new ArrayList<>(List.of(stream, ONLY_IF_THERE, NEXT_ID, BODY, message.body()));
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      entry.add(header.getKey().getBytes(UTF_8));
      entry.add(header.getValue().getBytes(UTF_8));
    }
    return entry.toArray(byte[][]::new);
  }

  /** The message of an entry. Leaves out headers of other programs that are not valid. */
  static Message message(List<?> fields) {
    byte[] body = fields.size() < 2 ? new byte[0] : (byte[]) fields.get(1);
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
}
