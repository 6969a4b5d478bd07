package org.mqproof;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * What an adapter promises in its configured mode. The rules read these and assert exactly; nothing
 * is asserted more loosely for one system than for another. Immutable.
 */
public final class Traits {

  /** Alone in {@link #notChecked()}: no setting of the system is asked for. */
  public static final String EVERY_SETTING = "*";

  private final String mode;
  private final boolean durable;
  private final int copies;
  private final boolean replicationAwaited;
  private final Optional<Duration> claimPeriod;
  private final Duration redeliveryBound;
  private final Ordering ordering;
  private final AckMode ackMode;
  private final int largestBodyBytes;
  private final int mostInFlight;
  private final Duration callBound;
  private final Release release;
  private final boolean extendable;
  private final int mostHeaders;
  private final int largestHeadersBytes;
  private final Optional<Duration> retention;
  private final PowerCut powerCut;
  private final Set<String> notChecked;

  private Traits(Builder builder) {
    mode = builder.mode;
    durable = builder.durable;
    copies = builder.copies;
    replicationAwaited = builder.replicationAwaited;
    claimPeriod = builder.claimPeriod;
    redeliveryBound = builder.redeliveryBound;
    ordering = builder.ordering;
    ackMode = builder.ackMode;
    largestBodyBytes = builder.largestBodyBytes;
    mostInFlight = builder.mostInFlight;
    callBound = builder.callBound;
    release = builder.release;
    extendable = builder.extendable || builder.claimPeriod.isEmpty();
    mostHeaders = builder.mostHeaders;
    largestHeadersBytes = builder.largestHeadersBytes;
    retention = builder.retention;
    powerCut = builder.powerCut;
    notChecked = builder.notChecked;
    requireAtLeastOne("copies", copies);
    requireAtLeastOne("largestBodyBytes", largestBodyBytes);
    requireAtLeastOne("mostInFlight", mostInFlight);
    requireNotNegative("mostHeaders", mostHeaders);
    requireNotNegative("largestHeadersBytes", largestHeadersBytes);
    if (replicationAwaited && copies < 2) {
      throw new IllegalArgumentException("replicationAwaited needs 2 copies, was " + copies);
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, was " + value);
    }
  }

  private static void requireNotNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must not be negative, was " + value);
    }
  }

  /**
   * Starts with the least that can be promised: one copy, not durable, no order, claims that never
   * expire, selective acks, no release, no headers, no bounds on size and in-flight deliveries,
   * calls bounded by 30 s, no setting of the system checked.
   *
   * @param mode the mode's name as in the adapter's settings, for example {@code "acks=all"}
   * @return a builder, for one thread
   */
  public static Builder mode(String mode) {
    return new Builder(mode);
  }

  /**
   * The mode's name.
   *
   * @return for example {@code "acks=all"}
   */
  public String mode() {
    return mode;
  }

  /**
   * Whether a confirmed message outlives a crash of every broker process.
   *
   * @return as given to {@link Builder#durable}
   */
  public boolean durable() {
    return durable;
  }

  /**
   * Nodes that hold a confirmed message when nothing is broken, at least 1.
   *
   * @return as given to {@link Builder#copies}
   */
  public int copies() {
    return copies;
  }

  /**
   * Whether a message is confirmed only when enough copies exist that the loss of any one node
   * loses nothing.
   *
   * @return as given to {@link Builder#replicationAwaited}
   */
  public boolean replicationAwaited() {
    return replicationAwaited;
  }

  /**
   * Time after which an unacked claim expires by itself; empty if it never does.
   *
   * @return as given to {@link Builder#claimPeriod}
   */
  public Optional<Duration> claimPeriod() {
    return claimPeriod;
  }

  /**
   * Longest time from a receiver's crash until its unacked messages can be received elsewhere.
   *
   * @return as given to {@link Builder#redeliveryBound}
   */
  public Duration redeliveryBound() {
    return redeliveryBound;
  }

  /**
   * The order one receiver sees.
   *
   * @return as given to {@link Builder#ordering}
   */
  public Ordering ordering() {
    return ordering;
  }

  /**
   * When an ack settles.
   *
   * @return as given to {@link Builder#ackMode}
   */
  public AckMode ackMode() {
    return ackMode;
  }

  /**
   * Largest {@link Message#sizeBytes()} that can be sent: a body without headers, or a body and its
   * headers together. A larger message is {@link Outcome#REJECTED}.
   *
   * @return as given to {@link Builder#largestBodyBytes}
   */
  public int largestBodyBytes() {
    return largestBodyBytes;
  }

  /**
   * Most deliveries that one receiver ever holds unacked, at least 1: an upper bound. A system may
   * stop earlier, for example a Kafka share group, which gives nothing further until all that one
   * poll brought is acked.
   *
   * @return as given to {@link Builder#mostInFlight}
   */
  public int mostInFlight() {
    return mostInFlight;
  }

  /**
   * Longest that any call takes, beyond a timeout given to it, when the system is dead, unreachable
   * or hung.
   *
   * @return as given to {@link Builder#callBound}
   */
  public Duration callBound() {
    return callBound;
  }

  /**
   * Who can receive a released message.
   *
   * @return as given to {@link Builder#release}
   */
  public Release release() {
    return release;
  }

  /**
   * Whether {@link Receiver#extend} is supported; always so where claims never end.
   *
   * @return as given to {@link Builder#extendable}
   */
  public boolean extendable() {
    return extendable;
  }

  /**
   * Most headers of one message; 0 where the system carries none.
   *
   * @return as given to {@link Builder#mostHeaders}
   */
  public int mostHeaders() {
    return mostHeaders;
  }

  /**
   * Largest total of {@link Message#headersBytes()}.
   *
   * @return as given to {@link Builder#largestHeadersBytes}
   */
  public int largestHeadersBytes() {
    return largestHeadersBytes;
  }

  /**
   * Time after which the system drops a message that nobody acked; empty if it keeps every message.
   *
   * @return as given to {@link Builder#retention}
   */
  public Optional<Duration> retention() {
    return retention;
  }

  /**
   * Whether confirmed messages survive a power cut of all nodes.
   *
   * @return as given to {@link Builder#powerCut}
   */
  public PowerCut powerCut() {
    return powerCut;
  }

  /**
   * Settings of the system that would lose confirmed messages, and that nobody asks for when a
   * queue is created, or a sender or receiver opened. Every other such setting is refused, as far
   * as the user may see it.
   *
   * @return names of settings, or of kinds of settings, such as {@code "policies"}; {@link
   *     #EVERY_SETTING} alone if nothing is asked for
   */
  public Set<String> notChecked() {
    return notChecked;
  }

  @Override
  public String toString() {
    return "Traits[mode="
        + mode
        + ", durable="
        + durable
        + ", copies="
        + copies
        + ", replicationAwaited="
        + replicationAwaited
        + ", claimPeriod="
        + claimPeriod
        + ", redeliveryBound="
        + redeliveryBound
        + ", ordering="
        + ordering
        + ", ackMode="
        + ackMode
        + ", largestBodyBytes="
        + largestBodyBytes
        + ", mostInFlight="
        + mostInFlight
        + ", callBound="
        + callBound
        + ", release="
        + release
        + ", extendable="
        + extendable
        + ", mostHeaders="
        + mostHeaders
        + ", largestHeadersBytes="
        + largestHeadersBytes
        + ", retention="
        + retention
        + ", powerCut="
        + powerCut
        + ", notChecked="
        + notChecked
        + "]";
  }

  /** Collects traits. Not thread-safe. */
  public static final class Builder {

    private final String mode;
    private boolean durable = false;
    private int copies = 1;
    private boolean replicationAwaited = false;
    private Optional<Duration> claimPeriod = Optional.empty();
    private Duration redeliveryBound = Duration.ZERO;
    private Ordering ordering = Ordering.NONE;
    private AckMode ackMode = AckMode.SELECTIVE;
    private int largestBodyBytes = Integer.MAX_VALUE;
    private int mostInFlight = Integer.MAX_VALUE;
    private Duration callBound = Duration.ofSeconds(30);
    private Release release = Release.NONE;
    private boolean extendable = false;
    private int mostHeaders = 0;
    private int largestHeadersBytes = 0;
    private Optional<Duration> retention = Optional.empty();
    private PowerCut powerCut = PowerCut.NOT_SHOWN;
    private Set<String> notChecked = Set.of(EVERY_SETTING);

    private Builder(String mode) {
      this.mode = mode;
    }

    /**
     * Sets durable.
     *
     * @param durable whether a confirmed message outlives a crash of every broker process
     * @return this
     */
    public Builder durable(boolean durable) {
      this.durable = durable;
      return this;
    }

    /**
     * Sets copies.
     *
     * @param copies nodes that hold a confirmed message when nothing is broken, at least 1
     * @return this
     */
    public Builder copies(int copies) {
      this.copies = copies;
      return this;
    }

    /**
     * Sets replicationAwaited.
     *
     * @param replicationAwaited whether a message is confirmed only when enough copies exist that
     *     the loss of any one node loses nothing
     * @return this
     */
    public Builder replicationAwaited(boolean replicationAwaited) {
      this.replicationAwaited = replicationAwaited;
      return this;
    }

    /**
     * Sets claimPeriod.
     *
     * @param claimPeriod time after which an unacked claim expires by itself; not called if it
     *     never does
     * @return this
     */
    public Builder claimPeriod(Duration claimPeriod) {
      this.claimPeriod = Optional.of(claimPeriod);
      return this;
    }

    /**
     * Sets redeliveryBound.
     *
     * @param redeliveryBound longest time from a receiver's crash until its unacked messages can be
     *     received elsewhere
     * @return this
     */
    public Builder redeliveryBound(Duration redeliveryBound) {
      this.redeliveryBound = redeliveryBound;
      return this;
    }

    /**
     * Sets ordering.
     *
     * @param ordering the order one receiver sees
     * @return this
     */
    public Builder ordering(Ordering ordering) {
      this.ordering = ordering;
      return this;
    }

    /**
     * Sets ackMode.
     *
     * @param ackMode when an ack settles
     * @return this
     */
    public Builder ackMode(AckMode ackMode) {
      this.ackMode = ackMode;
      return this;
    }

    /**
     * Sets largestBodyBytes.
     *
     * @param largestBodyBytes largest {@link Message#sizeBytes()} that can be sent; a larger
     *     message is {@link Outcome#REJECTED}
     * @return this
     */
    public Builder largestBodyBytes(int largestBodyBytes) {
      this.largestBodyBytes = largestBodyBytes;
      return this;
    }

    /**
     * Sets mostInFlight.
     *
     * @param mostInFlight most deliveries that one receiver ever holds unacked, at least 1
     * @return this
     */
    public Builder mostInFlight(int mostInFlight) {
      this.mostInFlight = mostInFlight;
      return this;
    }

    /**
     * Sets callBound.
     *
     * @param callBound longest that any call takes, beyond a timeout given to it, when the system
     *     is dead, unreachable or hung
     * @return this
     */
    public Builder callBound(Duration callBound) {
      this.callBound = callBound;
      return this;
    }

    /**
     * Sets release.
     *
     * @param release who can receive a message after {@link Receiver#release}
     * @return this
     */
    public Builder release(Release release) {
      this.release = release;
      return this;
    }

    /**
     * Sets extendable.
     *
     * @param extendable whether {@link Receiver#extend} is supported; not needed without a claim
     *     period
     * @return this
     */
    public Builder extendable(boolean extendable) {
      this.extendable = extendable;
      return this;
    }

    /**
     * Sets mostHeaders.
     *
     * @param mostHeaders most headers of one message, 0 or more
     * @return this
     */
    public Builder mostHeaders(int mostHeaders) {
      this.mostHeaders = mostHeaders;
      return this;
    }

    /**
     * Sets largestHeadersBytes.
     *
     * @param largestHeadersBytes largest {@link Message#headersBytes()}, 0 or more
     * @return this
     */
    public Builder largestHeadersBytes(int largestHeadersBytes) {
      this.largestHeadersBytes = largestHeadersBytes;
      return this;
    }

    /**
     * Sets retention.
     *
     * @param retention time after which an unacked message is dropped; not called if it never is
     * @return this
     */
    public Builder retention(Duration retention) {
      this.retention = Optional.of(retention);
      return this;
    }

    /**
     * Sets powerCut.
     *
     * @param powerCut whether confirmed messages survive a power cut of all nodes
     * @return this
     */
    public Builder powerCut(PowerCut powerCut) {
      this.powerCut = powerCut;
      return this;
    }

    /**
     * Sets notChecked.
     *
     * @param notChecked settings of the system that would lose confirmed messages and are not asked
     *     for; empty if all that are known are
     * @return this
     */
    public Builder notChecked(Collection<String> notChecked) {
      this.notChecked = Set.copyOf(notChecked);
      return this;
    }

    /**
     * Checks the ranges.
     *
     * @return the traits
     * @throws IllegalArgumentException if a value is out of range
     */
    public Traits build() {
      return new Traits(this);
    }
  }
}
