package org.mqproof.valkey;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.mqproof.MqException;
import org.mqproof.support.Arguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The stream of each queue, and its group.
 *
 * <p>Thread-safe: no state of its own. Its methods block.
 */
final class Queues {

  static final String GROUP = "mqproof";

  private static final String PREFIX = "mqproof:queue:";

  /** A consumer that did nothing for so long, and has nothing, is of a receiver that died. */
  private static final long DEAD_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Server server;

  Queues(Server server) {
    this.server = server;
  }

  /** A queue and its stream. */
  record Queue(String name, String stream) {}

  /**
   * The queue of that name.
   *
   * @throws MqException if there is none
   */
  Queue get(String name) {
    Arguments.requireQueueName(name);
    Queue queue = new Queue(name, PREFIX + name);
    try {
      Object unused =
          server.use(
              connection ->
                  Script.OPEN.run(connection, queue.stream(), List.of(Long.toString(DEAD_MILLIS))));
      return queue;
    } catch (JedisDataException e) {
      if (Errors.isMissing(e)) {
        throw new MqException(
            "%s: there is no queue %s".formatted(server.settings().endpoint(), name), e);
      }
      throw e;
    }
  }

  boolean create(String name) {
    try {
      Object unused =
          server.confirmed(
              connection ->
                  connection.sendCommand(
                      Command.XGROUP, "CREATE", PREFIX + name, GROUP, "0", "MKSTREAM"));
      return true;
    } catch (JedisDataException e) {
      if (Errors.isThere(e)) {
        return false;
      }
      throw e;
    }
  }

  boolean delete(String name) {
    return (Long)
            server.confirmed(connection -> connection.sendCommand(Command.UNLINK, PREFIX + name))
        > 0;
  }
}
