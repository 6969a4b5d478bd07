package org.mqproof.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import org.mqproof.Mq;

/**
 * Adds Micrometer meters to a connection. The wrapped connection behaves as the one inside: the
 * same outcomes, exceptions, deliveries and threads.
 *
 * <table>
 * <caption>Meters; each has the tags system, mode and queue</caption>
 * <tr><th>Meter</th><th>Type</th><th>Further tag</th><th>Measures</th></tr>
 * <tr><td>{@code mqproof.send}</td><td>timer</td><td>{@code outcome}: the batch's worst</td>
 *     <td>a batch, from the call of send or sendAsync until its outcome is known</td></tr>
 * <tr><td>{@code mqproof.sent}</td><td>counter</td>
 *     <td>{@code outcome}: confirmed, rejected, unknown</td><td>messages that were sent</td></tr>
 * <tr><td>{@code mqproof.receive}</td><td>timer</td>
 *     <td>{@code outcome}: delivered, empty, failed</td><td>a call of receive: the wait for
 *     messages</td></tr>
 * <tr><td>{@code mqproof.deliveries}</td><td>counter</td><td>-</td><td>deliveries</td></tr>
 * <tr><td>{@code mqproof.in.flight}</td><td>gauge</td><td>-</td><td>deliveries that are neither
 *     acked nor released</td></tr>
 * <tr><td>{@code mqproof.processing}</td><td>timer</td><td>-</td><td>an acked delivery, from the
 *     return of receive to the call of the ack that settled it</td></tr>
 * <tr><td>{@code mqproof.acks}</td><td>counter</td>
 *     <td>{@code outcome}: confirmed, rejected, unknown</td><td>deliveries given to ack; a
 *     delivery that was settled before does not count</td></tr>
 * <tr><td>{@code mqproof.releases}</td><td>counter</td><td>{@code outcome}: confirmed, unknown</td>
 *     <td>deliveries given to release</td></tr>
 * </table>
 *
 * <p>Calls that did nothing are not counted: empty batches, and calls that end with an {@link
 * IllegalArgumentException} or {@link IllegalStateException}. A {@code send} that is interrupted
 * counts as unknown.
 *
 * <p>Where claims end by themselves ({@link org.mqproof.Traits#claimPeriod()}), a delivery that is
 * neither acked nor released leaves {@code mqproof.in.flight} two to three claim periods after it
 * was received or extended, at one of the receiver's next calls.
 *
 * <p>Costs some 90 ns of CPU and 20 bytes of garbage per message in batches of ten, 300 ns and 100
 * bytes in batches of one (OpenJDK 17, a core of a cloud machine, {@link
 * io.micrometer.core.instrument.simple.SimpleMeterRegistry}; {@code CostMain} of this module's
 * tests measures it). Nothing is allocated per message: a delivery stays the adapter's own object.
 *
 * <p>Thread-safe.
 */
public final class MqMetrics {

  /** Most queues that have a tag of their own: time series cost memory here and elsewhere. */
  static final int MOST_QUEUES = 100;

  /** The tag of every queue beyond {@link #MOST_QUEUES}. */
  static final String OTHER_QUEUES = "(other)";

  private MqMetrics() {}

  /**
   * Adds meters to a connection. Connections with the same registry, system and mode share their
   * meters, which leave the registry when the last of these connections is closed.
   *
   * <p>The first 100 queues have a tag of their own; the others share the tag {@code (other)}.
   *
   * @param registry where the meters are
   * @param mq the connection; closing the result closes it
   * @param system the tag {@code system}, for example {@code "kafka"}, or a name that tells two
   *     clusters apart
   * @return a connection to be used instead of {@code mq}; as thread-safe
   */
  public static Mq monitor(MeterRegistry registry, Mq mq, String system) {
    Objects.requireNonNull(mq, "mq");
    return new MeteredMq(mq, SystemMeters.join(registry, system, mq.traits().mode()));
  }
}
