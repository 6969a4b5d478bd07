package org.mqproof.cluster.process;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A cluster of a primary and others that follow it, of a system in which nobody promotes one of
 * these when the primary is gone. A thread of this JVM does so, as an operator's tool would.
 *
 * <p>Thread-safe, if a subclass touches roles only while it holds {@link #roles}.
 */
public abstract class PromotingCluster extends ProcessCluster {

  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** For a primary that was started again to read its log. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);

  /**
   * So many looks are passed over where all was well and no process died or started since: each one
   * is a login, which takes a tenth of a core if there are twenty a second.
   */
  private static final int PASSED_WHERE_WELL = 10;

  /** Held while the roles of nodes are looked at or changed. */
  protected final ReentrantLock roles = new ReentrantLock();

  /** The primary, or who is to become it. */
  protected volatile int primary = 1;

  private long silentFromNanos = System.nanoTime() + START_NANOS; // guarded by roles

  /**
   * Starts nothing yet.
   *
   * @param name the product's name, for messages
   * @param version the broker's version
   * @param addresses of the nodes, for messages
   * @param home with every node added
   */
  protected PromotingCluster(String name, String version, String addresses, ClusterHome home) {
    super(name, version, addresses, home);
  }

  @Override
  protected final void form() {
    heal();
    Thread operator = new Thread(this::operate, "mqproof-" + system() + "-operator");
    operator.setDaemon(true);
    operator.start();
  }

  private void operate() {
    boolean well = false;
    int passed = 0;
    Set<Integer> running = Set.of();
    try {
      while (true) {
        home.pauseBetweenLooks();
        Set<Integer> now = running();
        if (well && now.equals(running) && ++passed < PASSED_WHERE_WELL) {
          continue;
        }
        roles.lock();
        try {
          well = look();
        } finally {
          roles.unlock();
        }
        running = now;
        passed = 0;
      }
    } catch (InterruptedException | IllegalStateException closed) {
      return; // the cluster is closed
    }
  }

  private Set<Integer> running() {
    return IntStream.rangeClosed(1, nodes())
        .filter(node -> home.node(node).isRunning())
        .boxed()
        .collect(Collectors.toSet());
  }

  /**
   * Looks at the primary, and does what is to be done. Called again and again with {@link #roles}
   * held; nodes may die or start meanwhile, of which the next look sees.
   *
   * @return whether the primary answers and nothing more is to be done: then the next look is later
   */
  protected abstract boolean look();

  /**
   * Whether a node leads already.
   *
   * @param node its number
   * @return false also if it does not answer
   */
  protected abstract boolean leads(int node);

  /** Every queue has the same one: the primary. */
  @Override
  public final int leader(String queue) {
    return awaitOne(
        "primary",
        () -> {
          int node = primary;
          return leads(node) ? OptionalInt.of(node) : OptionalInt.empty();
        });
  }

  /** Takes note that the primary answered. Called with {@link #roles} held. */
  protected final void heardOfPrimary() {
    silentFromNanos = System.nanoTime() + SILENCE_NANOS;
  }

  /** Gives a primary that starts the time to. Called with {@link #roles} held. */
  protected final void primaryStarts() {
    silentFromNanos = System.nanoTime() + START_NANOS;
  }

  /**
   * Whether another has to be promoted.
   *
   * @return true if the primary is dead, or has not been heard of for too long
   */
  protected final boolean isPrimaryLost() {
    return !home.node(primary).isAlive() || System.nanoTime() - silentFromNanos > 0;
  }

  /**
   * How far a node is in the log of the primary that was.
   *
   * @param <E> what is thrown by a node that does not answer
   */
  protected interface Received<E extends Exception> {

    /**
     * Asks it.
     *
     * @param node its number
     * @return the larger, the further
     * @throws E if it does not answer
     */
    long of(int node) throws E;
  }

  /**
   * The node that is to be promoted.
   *
   * @param <E> what is thrown by a node that does not answer
   * @param nodes those that followed, at least one, which receive no more
   * @param received asks one
   * @return the furthest
   * @throws E if one does not answer
   */
  protected static <E extends Exception> int furthest(List<Integer> nodes, Received<E> received)
      throws E {
    int furthest = nodes.get(0);
    long most = -1;
    for (int node : nodes) {
      long far = received.of(node);
      if (far > most) {
        furthest = node;
        most = far;
      }
    }
    return furthest;
  }
}
