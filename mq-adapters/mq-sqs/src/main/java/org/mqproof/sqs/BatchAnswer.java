package org.mqproof.sqs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer to a request of several entries, each named by its position. One that the answer
 * does not mention is of unknown effect, never taken for done. For one thread.
 */
final class BatchAnswer {

  private final List<@Nullable RequestFailed> entries = new ArrayList<>();

  /** Nothing was told yet of so many entries. */
  BatchAnswer(int size) {
    for (int i = 0; i < size; i++) {
      entries.add(RequestFailed.unknown("the answer does not mention the entry", null));
    }
  }

  void done(String id) {
    entries.set(Integer.parseInt(id), null);
  }

  void failed(
      String id, @Nullable Boolean senderFault, @Nullable String code, @Nullable String message) {
    entries.set(
        Integer.parseInt(id), RequestFailed.entry(Boolean.TRUE.equals(senderFault), code, message));
  }

  /** One per entry, null if it was done. */
  List<@Nullable RequestFailed> entries() {
    return entries;
  }
}
