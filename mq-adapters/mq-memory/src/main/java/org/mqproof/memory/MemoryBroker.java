package org.mqproof.memory;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;

/**
 * A broker inside this JVM. It keeps its queues and their messages for as long as it is reachable,
 * however many connections come and go.
 *
 * <p>Its time is the system's, plus whatever {@link #advance} added, or only the latter if it was
 * built with {@link Builder#manualTime()}. Claims and the timeouts of calls follow it.
 *
 * <p>Faults: {@link #refuse()} is a broker whose process has died, {@link #hang()} one that takes
 * requests and never answers; {@link #heal()} ends both. What was stored stays.
 *
 * <p>Thread-safe.
 */
public final class MemoryBroker {

  private static final Pattern QUEUE_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,200}");

  private enum State {
    ANSWERING,
    REFUSING,
    HUNG
  }

  private final Builder built;
  private final long claimPeriodNanos;
  private final long callBoundNanos;
  private final Traits traits;
  private final ConcurrentHashMap<String, MemoryQueue> queues = new ConcurrentHashMap<>();
  private final AtomicLong advancedNanos = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile State state = State.ANSWERING;

  /** A broker with the defaults of {@link #builder()}. */
  public MemoryBroker() {
    this(new Builder());
  }

  private MemoryBroker(Builder builder) {
    built = builder.copy();
    claimPeriodNanos = saturatedNanos(built.claimPeriod);
    callBoundNanos = saturatedNanos(built.callBound);
    traits =
        Traits.mode("memory")
            .durable(false)
            .copies(1)
            .replicationAwaited(false)
            .claimPeriod(built.claimPeriod)
            .redeliveryBound(built.claimPeriod)
            .ordering(Ordering.PER_SENDER)
            .largestBodyBytes(built.largestBodyBytes)
            .mostInFlight(built.mostInFlight)
            .callBound(built.callBound)
            .release(Release.ANY_RECEIVER)
            .extendable(true)
            .mostHeaders(built.mostHeaders)
            .largestHeadersBytes(Math.min(built.largestHeadersBytes, built.largestBodyBytes))
            .powerCut(PowerCut.LOST)
            .notChecked(Set.of()) // there is none
            .build();
  }

  /**
   * Starts with the defaults: a claim period of 30 s, at most 1,000,000 messages in a queue, bodies
   * of at most 1 MiB, at most 100 headers of 64 KiB, any number in flight, calls bounded by 5 s,
   * the system's time.
   *
   * @return a builder, for one thread
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Connects to this broker.
   *
   * @return a new connection
   * @throws MqException if this broker refuses connections, or hangs for the whole call bound
   */
  public Mq connect() {
    requireAnswer();
    return new MemoryMq(this);
  }

  /**
   * Moves this broker's time forward. Claims whose period is over have ended when this returns, and
   * waiting calls whose time is over return.
   *
   * @param time how far, not negative
   * @throws IllegalArgumentException if {@code time} is negative
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time must not be negative, was " + time);
    }
    advancedNanos.addAndGet(saturatedNanos(time));
    wakeAll();
  }

  /**
   * From now on every call fails at once, also one that waits, as if this broker's process had
   * died: every claim ends, and a batch that is sent is rejected. Stored messages stay.
   */
  public void refuse() {
    state = State.REFUSING;
    queues.values().forEach(queue -> queue.giveBack(null));
    wakeAll();
  }

  /**
   * From now on no call is answered, as if this broker's process were stopped: calls wait for their
   * bound and fail. What is sent is stored all the same, as it may be by a real broker: the sender
   * cannot know.
   */
  public void hang() {
    state = State.HUNG;
    wakeAll();
  }

  /** Ends {@link #refuse()} or {@link #hang()}. Calls that still wait for an answer get one. */
  public void heal() {
    state = State.ANSWERING;
    wakeAll();
  }

  @Override
  public String toString() {
    return endpoint();
  }

  /** What two connections by one name must agree on. */
  String properties() {
    return built.properties();
  }

  Traits traits() {
    return traits;
  }

  String endpoint() {
    return "memory:" + built.name;
  }

  int capacity() {
    return built.capacity;
  }

  int mostInFlight() {
    return built.mostInFlight;
  }

  long claimPeriodNanos() {
    return claimPeriodNanos;
  }

  long callBoundNanos() {
    return callBoundNanos;
  }

  long nanoTime() {
    return (built.manualTime ? 0 : System.nanoTime()) + advancedNanos.get();
  }

  void createQueue(String name) {
    requireValid(name);
    requireAnswer();
    queues.computeIfAbsent(name, n -> new MemoryQueue(n, this));
  }

  void deleteQueue(String name) {
    requireValid(name);
    requireAnswer();
    MemoryQueue queue = queues.remove(name);
    if (queue != null) {
      queue.delete();
    }
  }

  MemoryQueue queue(String name) {
    requireAnswer();
    MemoryQueue queue = queues.get(name);
    if (queue == null) {
      throw new MqException("no queue " + name + " at " + endpoint());
    }
    return queue;
  }

  private static void requireValid(String name) {
    if (!QUEUE_NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException(
          "a queue's name is 1 to 200 of [a-zA-Z0-9._-] and not . or .., was '" + name + "'");
    }
  }

  boolean isRefusing() {
    return state == State.REFUSING;
  }

  boolean isHung() {
    return state == State.HUNG;
  }

  void requireAlive() {
    if (isRefusing()) {
      throw new MqException(endpoint() + " refused the call");
    }
  }

  MqException noAnswer() {
    return new MqException(endpoint() + " did not answer within " + built.callBound);
  }

  /** For calls that cannot say that they were interrupted: that ends the wait, and stays noted. */
  void requireAnswer() {
    try {
      awaitAnswer(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException("interrupted while waiting for " + endpoint(), e);
    }
  }

  /**
   * Returns at once unless the broker is dead or hung.
   *
   * @param waitedNanos what the call has waited before, which counts towards the call bound
   * @throws MqException if it is dead, or was hung for the whole call bound
   */
  void awaitAnswer(long waitedNanos) throws InterruptedException {
    if (state == State.ANSWERING) {
      return;
    }
    long start = nanoTime();
    lock.lockInterruptibly();
    try {
      while (state == State.HUNG) {
        long left = callBoundNanos - waitedNanos - (nanoTime() - start);
        if (left <= 0) {
          throw noAnswer();
        }
        await(changed, left);
      }
    } finally {
      lock.unlock();
    }
    requireAlive();
  }

  /** Waits for a signal, at most so long in this broker's time. Its lock is held. */
  @SuppressWarnings("WaitNotInLoop") // the callers' loops
  void await(Condition condition, long nanos) throws InterruptedException {
    if (built.manualTime) {
      condition.await();
    } else {
      long left = condition.awaitNanos(nanos);
      assert left <= nanos;
    }
  }

  private void wakeAll() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    queues.values().forEach(MemoryQueue::wakeAll);
  }

  static long saturatedNanos(Duration duration) {
    return TimeUnit.NANOSECONDS.convert(duration);
  }

  static long saturatedSum(long nanos, long moreNanos) {
    long sum = nanos + moreNanos;
    return sum < nanos ? Long.MAX_VALUE : sum;
  }

  /** Collects a broker's properties. Not thread-safe. */
  public static final class Builder {

    static final Duration LONGEST = Duration.ofDays(36_500);

    private String name = "unnamed";
    private Duration claimPeriod = Duration.ofSeconds(30);
    private int capacity = 1_000_000;
    private int largestBodyBytes = 1 << 20;
    private int mostHeaders = 100;
    private int largestHeadersBytes = 1 << 16;
    private int mostInFlight = Integer.MAX_VALUE;
    private Duration callBound = Duration.ofSeconds(5);
    private boolean manualTime;

    private Builder() {}

    private Builder copy() {
      return new Builder()
          .name(name)
          .claimPeriod(claimPeriod)
          .capacity(capacity)
          .largestBodyBytes(largestBodyBytes)
          .mostHeaders(mostHeaders)
          .largestHeadersBytes(largestHeadersBytes)
          .mostInFlight(mostInFlight)
          .callBound(callBound)
          .manualTime(manualTime);
    }

    /**
     * Sets the name that errors give as the endpoint.
     *
     * @param name any text
     * @return this
     */
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    /**
     * Sets the time after which an unacked claim expires.
     *
     * @param claimPeriod 1 ns to 100 years
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder claimPeriod(Duration claimPeriod) {
      this.claimPeriod = inRange("claimPeriod", claimPeriod);
      return this;
    }

    /**
     * Sets how many messages, acked ones not counted, a queue holds before a sender has to wait. A
     * batch is let in as a whole as soon as there is room for one message.
     *
     * @param capacity at least 1
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder capacity(int capacity) {
      this.capacity = atLeast(1, "capacity", capacity);
      return this;
    }

    /**
     * Sets the largest size of a body and its headers together; a larger message is rejected.
     *
     * @param largestBodyBytes at least 1
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder largestBodyBytes(int largestBodyBytes) {
      this.largestBodyBytes = atLeast(1, "largestBodyBytes", largestBodyBytes);
      return this;
    }

    /**
     * Sets how many headers a message can have; one with more is rejected.
     *
     * @param mostHeaders at least 0
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder mostHeaders(int mostHeaders) {
      this.mostHeaders = atLeast(0, "mostHeaders", mostHeaders);
      return this;
    }

    /**
     * Sets the largest size of all headers of a message; one with larger headers is rejected.
     *
     * @param largestHeadersBytes at least 0; no more than the largest body counts
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder largestHeadersBytes(int largestHeadersBytes) {
      this.largestHeadersBytes = atLeast(0, "largestHeadersBytes", largestHeadersBytes);
      return this;
    }

    /**
     * Sets how many unacked deliveries a receiver can hold.
     *
     * @param mostInFlight at least 1
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder mostInFlight(int mostInFlight) {
      this.mostInFlight = atLeast(1, "mostInFlight", mostInFlight);
      return this;
    }

    /**
     * Sets the longest wait for a hung broker's answer, and for room in a full queue.
     *
     * @param callBound 1 ns to 100 years
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder callBound(Duration callBound) {
      this.callBound = inRange("callBound", callBound);
      return this;
    }

    /**
     * Lets time move by {@link MemoryBroker#advance} alone. A call with a timeout then waits until
     * there is something for it, or another thread moves the time.
     *
     * @return this
     */
    public Builder manualTime() {
      return manualTime(true);
    }

    private Builder manualTime(boolean manualTime) {
      this.manualTime = manualTime;
      return this;
    }

    /**
     * Starts the broker.
     *
     * @return a broker without queues
     */
    public MemoryBroker build() {
      return new MemoryBroker(this);
    }

    String properties() {
      return ("claim.period=%s, capacity=%d, largest.body.bytes=%d, most.headers=%d,"
              + " largest.headers.bytes=%d, most.in.flight=%d, call.bound=%s")
          .formatted(
              claimPeriod,
              capacity,
              largestBodyBytes,
              mostHeaders,
              largestHeadersBytes,
              mostInFlight,
              callBound);
    }

    private static int atLeast(int least, String property, int value) {
      if (value < least) {
        throw new IllegalArgumentException(
            property + " must be at least " + least + ", was " + value);
      }
      return value;
    }

    private static Duration inRange(String property, Duration value) {
      if (value.isZero() || value.isNegative() || value.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            property + " must be above 0 and at most 100 years, was " + value);
      }
      return value;
    }
  }
}
