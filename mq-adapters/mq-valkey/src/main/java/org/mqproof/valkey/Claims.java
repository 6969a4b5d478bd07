package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The requests of one receiver to the group of its queue, in which it is a consumer.
 *
 * <p>Its methods block. Thread-safe, but for {@link #claim}, which is for one thread at a time.
 */
final class Claims implements ClaimingReceiver.Claims<ValkeyDelivery> {

  /** One claim brings so many; a larger one only keeps others waiting. */
  private static final int MOST_MESSAGES = 1_000;

  /** Bodies that one claim brings together, beside a few of the largest. */
  private static final int MOST_BYTES = 16 << 20;

  /** How often to look for claims that have ended, also while there are free messages. */
  private static final long EXPIRED_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Closing waits so long for a claim under way. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A read that waits gets what is new, and notices so late what was released. */
  private static final long RELEASED_INTERVAL_MILLIS = 50;

  /** A read that waits brings so many: nothing tells how large they are. */
  private static final int MOST_WAITED_FOR = 8;

  private static final String BEGIN = "0-0";

  /** Written by acks that find nothing to remove. */
  private static final byte[] ACKED_AGAIN = "mqproof:acked-again".getBytes(UTF_8);

  private final Server server;
  private final Queues.Queue queue;
  private final List<byte[]> keys;
  private final byte[] consumer =
      Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36).getBytes(UTF_8);
  private String expiredFrom = BEGIN;
  private long lookedForExpiredNanos = System.nanoTime();

  Claims(Server server, Queues.Queue queue) {
    this.server = server;
    this.queue = queue;
    keys = List.of(queue.key());
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public List<ValkeyDelivery> claim(int max, AckRounds<ValkeyDelivery> owner) {
    return claim(max, 0, owner);
  }

  @Override
  public List<ValkeyDelivery> claim(int max, long waitNanos, AckRounds<ValkeyDelivery> owner) {
    long start = System.nanoTime();
    long wait = Math.min(waitNanos, LONGEST_WAIT_NANOS);
    int most = Math.min(max, MOST_MESSAGES);
    return server.use(
        connection -> {
          while (true) {
            List<ValkeyDelivery> claimed = take(connection, most, owner);
            long left = wait - (System.nanoTime() - start);
            if (claimed.isEmpty() && left > 0) {
              claimed = read(connection, most, left, owner);
            }
            if (!claimed.isEmpty() || left <= 0) {
              return claimed;
            }
          }
        });
  }

  /** The claim has waited. */
  @Override
  public void awaitNews(long since, long pauseNanos, long leftNanos) {}

  private List<ValkeyDelivery> take(Connection connection, int most, AckRounds<?> owner) {
    if (System.nanoTime() - lookedForExpiredNanos >= EXPIRED_INTERVAL_NANOS) {
      List<ValkeyDelivery> expired = takeExpired(connection, most, owner);
      if (!expired.isEmpty()) {
        return expired;
      }
    }
    return deliveries((List<?>) Script.TAKE.run(connection, keys, limits(most)), owner);
  }

  /** Looks at some of the pending entries, and at the others with the next claim. */
  private List<ValkeyDelivery> takeExpired(Connection connection, int most, AckRounds<?> owner) {
    List<byte[]> arguments = limits(most);
    arguments.add(text(server.settings().bounds().hidden().toMillis()));
    arguments.add(expiredFrom.getBytes(UTF_8));
    List<?> answer = (List<?>) Script.TAKE_EXPIRED.run(connection, keys, arguments);
    expiredFrom = new String((byte[]) answer.get(0), UTF_8);
    if (expiredFrom.equals(BEGIN)) {
      lookedForExpiredNanos = System.nanoTime(); // not before all were looked at
    }
    return deliveries((List<?>) answer.get(1), owner);
  }

  private List<byte[]> limits(int most) {
    return new ArrayList<>(List.of(consumer, text(most), text(MOST_BYTES)));
  }

  private static byte[] text(long number) {
    return Long.toString(number).getBytes(UTF_8);
  }

  /** Deliveries of what {@link Script#TAKE} answers. */
  private static List<ValkeyDelivery> deliveries(List<?> found, AckRounds<?> owner) {
    List<ValkeyDelivery> deliveries = new ArrayList<>(found.size() / 3);
    for (int i = 0; i < found.size(); i += 3) {
      deliveries.add(
          new ValkeyDelivery(
              owner,
              (byte[]) found.get(i),
              (Long) found.get(i + 1),
              Appends.message((List<?>) found.get(i + 2))));
    }
    return deliveries;
  }

  /** Waits for what is new. */
  private List<ValkeyDelivery> read(
      Connection connection, int most, long waitNanos, AckRounds<?> owner) {
    long millis =
        Math.max(1, Math.min(TimeUnit.NANOSECONDS.toMillis(waitNanos), RELEASED_INTERVAL_MILLIS));
    connection.sendCommand(
        Command.XREADGROUP,
        "GROUP".getBytes(UTF_8),
        Queues.GROUP.getBytes(UTF_8),
        consumer,
        "COUNT".getBytes(UTF_8),
        text(Math.min(most, MOST_WAITED_FOR)),
        "BLOCK".getBytes(UTF_8),
        text(millis),
        "STREAMS".getBytes(UTF_8),
        queue.key(),
        ">".getBytes(UTF_8));
    Object answer = connection.getOne();
    if (!(answer instanceof List<?> streams)) {
      return List.of();
    }
    List<ValkeyDelivery> deliveries = new ArrayList<>();
    for (Object entry : (List<?>) ((List<?>) streams.get(0)).get(1)) {
      List<?> parts = (List<?>) entry;
      deliveries.add(
          new ValkeyDelivery(
              owner, (byte[]) parts.get(0), 1, Appends.message((List<?>) parts.get(1))));
    }
    return deliveries;
  }

  private List<byte[]> arguments(Collection<ValkeyDelivery> deliveries) {
    List<byte[]> arguments = new ArrayList<>(1 + 2 * deliveries.size());
    arguments.add(consumer);
    for (ValkeyDelivery delivery : deliveries) {
      arguments.add(delivery.id());
      arguments.add(text(delivery.count()));
    }
    return arguments;
  }

  private static Set<ValkeyDelivery> numbered(Object numbers, List<ValkeyDelivery> deliveries) {
    Set<ValkeyDelivery> chosen = new HashSet<>();
    for (Object number : (List<?>) numbers) {
      chosen.add(deliveries.get(Math.toIntExact((Long) number)));
    }
    return chosen;
  }

  /** Removes what is still ours; what is not, and is still there, may come back. */
  @Override
  public Set<ValkeyDelivery> settle(Collection<ValkeyDelivery> deliveries) {
    List<ValkeyDelivery> all = List.copyOf(deliveries);
    try {
      return server.use(connection -> settle(connection, all));
    } catch (JedisException e) {
      throw server.calls().failed("ack messages of queue " + queue.name(), e);
    }
  }

  private Set<ValkeyDelivery> settle(Connection connection, List<ValkeyDelivery> deliveries) {
    Script.SETTLE.send(connection, List.of(queue.key(), ACKED_AGAIN), arguments(deliveries));
    server.sendWait(connection);
    List<Object> answers = connection.getMany(2);
    if (answers.get(0) instanceof JedisDataException e) {
      throw e;
    }
    Set<ValkeyDelivery> ended = numbered(answers.get(0), deliveries);
    Throwable why = server.whyNotConfirmed(answers.get(1));
    if (why != null) {
      Set<ValkeyDelivery> unknown = new HashSet<>(deliveries);
      unknown.removeAll(ended);
      throw new AckRounds.PartlySettled(
          "%s, queue %s: the acks were not confirmed: %s"
              .formatted(server.settings().endpoint(), queue.name(), Errors.reason(why)),
          ended,
          unknown,
          why);
    }
    return ended;
  }

  /** A claim whose period is over is still ours while nobody else has made one. */
  @Override
  public Set<ValkeyDelivery> extend(Collection<ValkeyDelivery> deliveries) {
    List<ValkeyDelivery> all = List.copyOf(deliveries);
    return server.use(
        connection -> numbered(Script.EXTEND.run(connection, keys, arguments(all)), all));
  }

  @Override
  public boolean free(Collection<ValkeyDelivery> deliveries) {
    return deliveries.isEmpty()
        || (Long)
                server.use(
                    connection -> Script.RELEASE.run(connection, keys, arguments(deliveries)))
            > 0;
  }

  /** Also what was claimed by a request whose answer was lost. */
  @Override
  public boolean freeAll(Collection<ValkeyDelivery> held) {
    return (Long)
            server.use(connection -> Script.RELEASE_ALL.run(connection, keys, List.of(consumer)))
        > 0;
  }
}
