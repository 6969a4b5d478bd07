package org.mqproof.ledger;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the histories of one run say: the verdict found again from files, wherever and whenever.
 * Immutable.
 *
 * <p>The processes of a run write a history each, and together they are judged as one. Their order
 * among each other is that of their clocks, to about a fifth of a second: {@link Verdict#reordered}
 * and {@link Verdict#deliveredAfterAck} are as good as that when receivers ran in more than one
 * process. Everything else does not depend on it.
 *
 * @param run the run's number
 * @param parts one for each file, in the order in which they were given
 * @param marks what happened to the run, in the order of time
 * @param beyond messages that were delivered, of a sender whose history ends too early to say
 *     whether it attempted them, or is missing: above the last sequence number that it has. The
 *     verdict counts them as attempted, with an unknown outcome
 * @param verdict what the run proved. It counts as drained if every part is complete, a process
 *     said so, and no process that had receivers said otherwise
 */
public record History(int run, List<Part> parts, List<Mark> marks, long beyond, Verdict verdict) {

  /**
   * What one process recorded. Immutable.
   *
   * @param file where it was read
   * @param name what ran
   * @param started when it began, by the clock of its machine
   * @param until all that was recorded before is there
   * @param complete whether nothing was recorded afterwards; if not, the process was killed or
   *     still runs, and its last moments are missing
   * @param leftOut bytes at the file's end that are not used, because they are not all there
   */
  public record Part(
      Path file, String name, Instant started, Instant until, boolean complete, long leftOut) {}

  /**
   * Something that happened to the run. Immutable.
   *
   * @param at when, by the clock of the machine that noted it
   * @param what for example {@code "leader killed"}
   */
  public record Mark(Instant at, String what) {}

  /**
   * Reads and judges. Takes memory for the sets of sequence numbers, as the ledgers did, and not
   * for the files.
   *
   * @param files histories of one run, at least one
   * @return what they say together
   * @throws IOException if a file cannot be read
   * @throws IllegalArgumentException if a file is not a history, is damaged before its end, holds
   *     nothing or is given twice; if they are of different runs; or if two processes sent the same
   *     message. The message is one sentence for the user
   */
  public static History read(List<Path> files) throws IOException {
    return read(files, true);
  }

  /**
   * Reads and judges what is there of a run.
   *
   * @param files as {@link #read(List)}
   * @param whole false if a process of the run left no history, or if receivers may have stopped
   *     before senders did. Then nothing is called lost for not having come, and what was delivered
   *     of a sender without a history counts as {@code beyond}
   * @return what they say together; never drained if not whole
   * @throws IOException as {@link #read(List)}
   * @throws IllegalArgumentException as {@link #read(List)}
   */
  public static History read(List<Path> files, boolean whole) throws IOException {
    return read(files, whole, null);
  }

  /**
   * Reads what is there of a run, and judges it by what the caller expects.
   *
   * @param files as {@link #read(List)}
   * @param whole as {@link #read(List, boolean)}
   * @param expected what the run is held to; null for what the histories say themselves
   * @return as {@link #read(List, boolean)}
   * @throws IOException as {@link #read(List)}
   * @throws IllegalArgumentException as {@link #read(List)}
   */
  public static History read(List<Path> files, boolean whole, @Nullable Expectations expected)
      throws IOException {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("a verdict needs at least one history");
    }
    List<HistoryFile> open = new ArrayList<>();
    try {
      for (Path file : files) {
        open.add(new HistoryFile(file));
      }
      requireOneRun(open);
      return new Replay(open, whole, expected).judge();
    } finally {
      for (HistoryFile file : open) {
        file.close();
      }
    }
  }

  private static void requireOneRun(List<HistoryFile> files) {
    HistoryFile first = files.get(0);
    Map<Long, HistoryFile> ids = new HashMap<>();
    for (HistoryFile file : files) {
      if (file.run() != first.run()) {
        throw new IllegalArgumentException(
            "%s is of run %d and %s of run %d: only histories of one run can be judged together"
                .formatted(first.file(), first.run(), file.file(), file.run()));
      }
      HistoryFile same = ids.put(file.id(), file);
      if (same != null) {
        throw new IllegalArgumentException(
            "%s and %s are the same history: it would count twice"
                .formatted(same.file(), file.file()));
      }
    }
  }
}
