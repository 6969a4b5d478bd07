package org.mqproof.eventstore;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the {@link ProtocolDouble}: events in memory. Guarded by the lock of its double.
 *
 * <p>As on the real server, an expected state of "exists" is refused of a stream that was deleted,
 * and "no stream" makes a deleted one anew; numbers go on where they were.
 */
final class DoubleStream {

  /** An event as it was appended. Immutable. */
  record Event(
      long revision,
      EventId id,
      Map<String, String> metadata,
      ByteString custom,
      ByteString data) {}

  /** What a writer demands of the stream. */
  enum Expected {
    ANY,
    NO_STREAM,
    EXISTS
  }

  /** What became of an append. */
  enum Result {
    STORED,
    KNOWN_ALREADY,
    WRONG_EXPECTED_VERSION,
    DELETED
  }

  private final List<Event> events = new ArrayList<>();
  private final Set<EventId> ids = new HashSet<>();
  private long first;
  private boolean deleted;

  boolean exists() {
    return !deleted && !events.isEmpty();
  }

  /** The number of the last event, or -1. */
  long last() {
    return events.size() - 1L;
  }

  /** The event of that number, if it is there and was not deleted. */
  @Nullable Event at(long revision) {
    return revision >= first && revision <= last() ? events.get(Math.toIntExact(revision)) : null;
  }

  /** The number of the first event that was not deleted. */
  long first() {
    return first;
  }

  /** All or none; {@code appended} are numbered here. */
  Result append(Expected expected, List<Event> appended) {
    if (expected == Expected.EXISTS && deleted) {
      return Result.DELETED;
    }
    if (expected == (exists() ? Expected.NO_STREAM : Expected.EXISTS)) {
      return Result.WRONG_EXPECTED_VERSION;
    }
    if (!appended.isEmpty() && appended.stream().allMatch(event -> ids.contains(event.id()))) {
      return Result.KNOWN_ALREADY;
    }
    if (appended.stream().anyMatch(event -> ids.contains(event.id()))) {
      return Result.WRONG_EXPECTED_VERSION;
    }
    deleted = false;
    for (Event event : appended) {
      events.add(
          new Event(events.size(), event.id(), event.metadata(), event.custom(), event.data()));
      ids.add(event.id());
    }
    return Result.STORED;
  }

  void delete() {
    deleted = true;
    first = events.size();
  }
}
