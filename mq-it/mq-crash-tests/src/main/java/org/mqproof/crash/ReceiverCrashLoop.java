package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.Delivery;

/**
 * Receivers in processes of their own, one after another, claim every message and are killed, as
 * those of a service that crashes on start. No message may be put aside for having been delivered
 * too often.
 */
final class ReceiverCrashLoop extends Fault {

  /** What JMS brokers deliver at most by default, and Kafka's share groups at most. */
  private static final int CRASHES = 10;

  private static final int SENT = 100;

  private final List<HoldingChild> children = new ArrayList<>();
  private final Map<ByteBuffer, Integer> claims = new HashMap<>();
  private final Set<ByteBuffer> got = ConcurrentHashMap.newKeySet();

  ReceiverCrashLoop() {
    super("receiver crash loop", "ALO-07", Harms.CLIENT);
  }

  /** None: each claims what the one before it claimed. */
  @Override
  protected int senders() {
    return 0;
  }

  /** None: the others come when the last one has crashed. */
  @Override
  protected int receivers() {
    return 0;
  }

  @Override
  protected void prepare(Cell cell) throws Exception {
    cell.sendAll(SENT);
  }

  /** The moments are those of the claims. */
  @Override
  protected void awaitMoment(Cell cell) {}

  @Override
  protected void strike(Cell cell) throws Exception {
    for (int crash = 0; crash < CRASHES; crash++) {
      Set<ByteBuffer> claimed = ConcurrentHashMap.newKeySet();
      HoldingChild child = new HoldingChild(cell, SENT, claimed::add);
      children.add(child);
      child.awaitClaims();
      child.kill(cell);
      child.requireDead();
      claimed.forEach(body -> claims.merge(body, 1, Integer::sum));
    }
  }

  @Override
  protected String tookEffect(Cell cell) {
    long always = claims.values().stream().filter(times -> times == CRASHES).count();
    assertThat(always).as("messages that all receivers had claimed").isPositive();
    return "%d receivers killed, each with the same %d messages".formatted(CRASHES, always);
  }

  @Override
  protected void received(List<Delivery> batch) {
    batch.forEach(delivery -> got.add(ByteBuffer.wrap(delivery.message().body())));
  }

  /** What all of them claimed comes to others. */
  @Override
  protected void heal(Cell cell) {
    cell.load().startReceivers(CrashHarness.RECEIVERS);
    Duration bound = cell.mq().traits().redeliveryBound();
    boolean back = Await.holdsWithin(bound, () -> got.containsAll(claims.keySet()));
    assertThat(back)
        .as("%d of %d claimed by the dead are back after %s", got.size(), claims.size(), bound)
        .isTrue();
  }

  @Override
  public void close() {
    children.forEach(HoldingChild::close);
  }
}
