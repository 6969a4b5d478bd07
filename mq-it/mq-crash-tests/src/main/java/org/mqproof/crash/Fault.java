package org.mqproof.crash;

import java.util.List;
import java.util.Map;
import org.mqproof.Delivery;
import org.mqproof.ledger.Verdict;

/**
 * A deliberate kill, pause or cut under load, and how it is known that it took effect: one row of
 * the fault matrix. A {@link Cell} takes it through its methods in the order in which they stand
 * here; one object is for one run.
 *
 * <p>Faults of the network are rows like these: what cuts a client or a node off strikes, what
 * clients see of it (calls that fail or stall) is the evidence, and {@code heal} joins them again.
 *
 * <p>For one thread, but for what it says otherwise.
 */
public abstract class Fault implements AutoCloseable {

  /** Whom a fault harms, and so which promise of a mode it puts to the test. */
  public enum Harms {
    /** No broker: nothing confirmed may be lost in any mode. */
    CLIENT,
    /** One node at a time, which comes back with its data. */
    NODE,
    /** Every node at once; all come back with their data. */
    CLUSTER,
    /** Every node at once; all come back with what was on their disks. */
    POWER
  }

  private final String name;
  private final String rules;
  private final Harms harms;

  /**
   * Creates a row for one run.
   *
   * @param name as {@link #name()} says
   * @param rules as {@link #rules()} says
   * @param harms as {@link #harms()} says
   */
  protected Fault(String name, String rules, Harms harms) {
    this.name = name;
    this.rules = rules;
    this.harms = harms;
  }

  /**
   * The row's name in results and in the matrix, for example {@code "leader SIGKILL"}.
   *
   * @return for example {@code "leader SIGKILL"}
   */
  public final String name() {
    return name;
  }

  /**
   * The rules that it checks, for example {@code "ALO-02, ALO-20"}.
   *
   * @return for example {@code "ALO-02, ALO-20"}
   */
  public final String rules() {
    return rules;
  }

  /**
   * Whom it harms.
   *
   * @return which promise of a mode it puts to the test
   */
  public final Harms harms() {
    return harms;
  }

  /**
   * How many senders of this process are at work when it strikes.
   *
   * @return 0 or more
   */
  protected int senders() {
    return CrashHarness.SENDERS;
  }

  /**
   * How many receivers of this process are at work when it strikes.
   *
   * @return 0 or more
   */
  protected int receivers() {
    return CrashHarness.RECEIVERS;
  }

  /**
   * Makes what the fault needs, before the load starts.
   *
   * @param cell the run
   * @throws Exception if the run fails
   */
  protected void prepare(Cell cell) throws Exception {}

  /**
   * Returns when the load is at work, at a moment that follows from the seed.
   *
   * @param cell the run
   * @throws Exception if the run fails
   */
  protected void awaitMoment(Cell cell) throws Exception {
    cell.awaitLoad();
  }

  /**
   * Begins the fault. Each blow is told to {@link Cell#struck}: times count from the last one.
   *
   * @param cell the run
   * @throws Exception if the run fails
   */
  protected abstract void strike(Cell cell) throws Exception;

  /**
   * Fails if the fault had no effect.
   *
   * @param cell the run
   * @return the evidence that it had, for whoever reads the result
   * @throws Exception if the run fails
   */
  protected abstract String tookEffect(Cell cell) throws Exception;

  /**
   * What must go on, or come back, before the fault is healed.
   *
   * @param cell the run
   * @throws Exception if the run fails
   */
  protected void whileItLasts(Cell cell) throws Exception {}

  /**
   * Undoes the fault; returns when the cluster is in sync.
   *
   * @param cell the run
   * @throws Exception if the run fails
   */
  protected void heal(Cell cell) throws Exception {
    cell.cluster().heal();
  }

  /**
   * Given each batch that a receiver of this process gets, on that receiver's thread.
   *
   * @param batch what was received
   */
  protected void received(List<Delivery> batch) {}

  /**
   * What else the fault must have done, as the verdict tells.
   *
   * @param verdict of the whole run
   */
  protected void check(Verdict verdict) {}

  /**
   * Counts of its own for the result of the run, by name.
   *
   * @return by name
   */
  protected Map<String, Long> counts() {
    return Map.of();
  }

  /** Ends what {@link #prepare} started, however the run ended. */
  @Override
  public void close() {}
}
