package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.mqproof.MqException;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
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
  private static final String MOST_BYTES = Integer.toString(16 << 20);

  /** How often to look for claims that have ended, also while there are free messages. */
  private static final long EXPIRED_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Closing waits so long for a claim under way. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A read that waits gets what is new, and notices so late what was released. */
  private static final long RELEASED_INTERVAL_MILLIS = 50;

  /** A read that waits brings so many: nothing tells how large they are. */
  private static final int MOST_WAITED_FOR = 8;

  private static final String BEGIN = "0-0";

  /** The consumer of what nobody holds any more. */
  private static final String RELEASED = "released";

  /** Who gets what is acked. */
  private static final String NOBODY = "";

  /** Written by acks that find nothing to remove. */
  private static final String ACKED_AGAIN = "mqproof:acked-again";

  private final Server server;
  private final String queue;
  private final String stream;
  private final String consumer =
      Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36);
  private final String hiddenMillis;
  private String expiredFrom = BEGIN;
  private long lookedForExpiredNanos = System.nanoTime();

  Claims(Server server, String queue) {
    this.server = server;
    this.queue = queue;
    stream = ValkeyMq.stream(queue);
    hiddenMillis = Long.toString(server.settings().bounds().hidden().toMillis());
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

  /** Looks at some of the pending entries now and then, and at the others with the next claim. */
  private List<ValkeyDelivery> take(Connection connection, int most, AckRounds<?> owner) {
    boolean looks = System.nanoTime() - lookedForExpiredNanos >= EXPIRED_INTERVAL_NANOS;
    String from = looks ? expiredFrom : "";
    List<String> arguments =
        List.of(consumer, Integer.toString(most), MOST_BYTES, hiddenMillis, from);
    List<?> answer = (List<?>) Script.TAKE.run(connection, stream, arguments);
    expiredFrom = looks ? text(answer.get(0)) : expiredFrom;
    if (looks && expiredFrom.equals(BEGIN)) {
      lookedForExpiredNanos = System.nanoTime(); // not before all were looked at
    }
    List<?> found = (List<?>) answer.get(1);
    List<ValkeyDelivery> deliveries = new ArrayList<>(found.size() / 3);
    for (int i = 0; i < found.size(); i += 3) {
      deliveries.add(delivery(owner, found.get(i), (Long) found.get(i + 1), found.get(i + 2)));
    }
    return deliveries;
  }

  private static String text(Object bytes) {
    return new String((byte[]) bytes, UTF_8);
  }

  private static ValkeyDelivery delivery(AckRounds<?> owner, Object id, long count, Object fields) {
    return new ValkeyDelivery(owner, text(id), count, Appends.message((List<?>) fields));
  }

  /** Waits for what is new. */
  private List<ValkeyDelivery> read(
      Connection connection, int most, long waitNanos, AckRounds<?> owner) {
    long millis = TimeUnit.NANOSECONDS.toMillis(waitNanos);
    connection.sendCommand(
        Command.XREADGROUP,
        "GROUP",
        ValkeyMq.GROUP,
        consumer,
        "COUNT",
        Integer.toString(Math.min(most, MOST_WAITED_FOR)),
        "BLOCK",
        Long.toString(Math.max(1, Math.min(millis, RELEASED_INTERVAL_MILLIS))),
        "STREAMS",
        stream,
        ">");
    List<ValkeyDelivery> deliveries = new ArrayList<>();
    if (connection.getOne() instanceof List<?> streams) {
      for (Object entry : (List<?>) ((List<?>) streams.get(0)).get(1)) {
        List<?> parts = (List<?>) entry;
        deliveries.add(delivery(owner, parts.get(0), 1, parts.get(1)));
      }
    }
    return deliveries;
  }

  private List<String> arguments(String to, List<ValkeyDelivery> deliveries) {
    List<String> arguments = new ArrayList<>(List.of(consumer, to));
    for (ValkeyDelivery delivery : deliveries) {
      arguments.add(delivery.id());
      arguments.add(Long.toString(delivery.count()));
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
    List<String> keys = List.of(stream, ACKED_AGAIN);
    try {
      return numbered(
          server.confirmed(
              connection -> Script.PASS.send(connection, keys, arguments(NOBODY, all))),
          all);
    } catch (JedisException | MqException e) {
      throw server.calls().failed("ack messages of queue " + queue, e);
    }
  }

  /** A claim whose period is over is still ours while nobody else has made one. */
  @Override
  public Set<ValkeyDelivery> extend(Collection<ValkeyDelivery> deliveries) {
    return pass(deliveries, consumer);
  }

  @Override
  public boolean free(Collection<ValkeyDelivery> deliveries) {
    return pass(deliveries, RELEASED).size() < deliveries.size();
  }

  private Set<ValkeyDelivery> pass(Collection<ValkeyDelivery> deliveries, String to) {
    List<ValkeyDelivery> all = List.copyOf(deliveries);
    return all.isEmpty() ? Set.of() : numbered(run(Script.PASS, arguments(to, all)), all);
  }

  /** Also what was claimed by a request whose answer was lost. */
  @Override
  public boolean freeAll(Collection<ValkeyDelivery> held) {
    return (Long) run(Script.RELEASE_ALL, List.of(consumer)) > 0;
  }

  private Object run(Script script, List<String> arguments) {
    return server.use(connection -> script.run(connection, stream, arguments));
  }
}
