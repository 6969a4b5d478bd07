package org.mqproof.ledger;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.Ordering;

/**
 * Writes a history: one thread, which collects from the tracks what was recorded and appends it to
 * the file. Thread-safe.
 *
 * <p>A turn collects what was received first and what was sent afterwards: so whatever a cut holds
 * of a delivery, it also holds of the attempt before it.
 */
final class HistoryWriter implements AutoCloseable {

  /** A fifth of what may be lost, so that a busy machine does not make it more. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Memory for one write; a chunk more may be in it. */
  private static final int ENOUGH_BYTES = 1 << 20;

  private static final int MOST_NAME_BYTES = 1 << 12;

  private final String where;
  private final OutputStream out;
  private final long startNanos = System.nanoTime();
  private final Thread thread = new Thread(this::run, "mqproof-history");
  private final List<Track> received = new CopyOnWriteArrayList<>();
  private final List<Track> sent = new CopyOnWriteArrayList<>();
  private final AtomicInteger receivers = new AtomicInteger();
  private final Bytes pending = new Bytes();
  private final Object markLock = new Object();
  private final Bytes marks = new Bytes();
  private volatile int judged = HistoryFormat.NOT_JUDGED;
  private volatile boolean closing;
  private volatile boolean ended;
  private volatile @Nullable Exception failure;

  /**
   * Creates a file and starts.
   *
   * @param name says what ran, for whoever reads the history
   * @throws IOException if the file is there already or cannot be written
   */
  static HistoryWriter open(Path file, int run, String name) throws IOException {
    limited(name); // before there is a file
    try {
      return new HistoryWriter(
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
          file.toString(),
          run,
          name);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("there is a history in " + file + " already", e);
    }
  }

  /** Starts. Closes {@code out} at the end. */
  HistoryWriter(OutputStream out, String where, int run, String name) throws IOException {
    this.out = out;
    this.where = where;
    pending.addAll(HistoryFormat.MAGIC);
    int chunk = pending.beginChunk(HistoryFormat.OPENED);
    pending.addInt(run);
    pending.addLong(ThreadLocalRandom.current().nextLong());
    pending.addLong(System.currentTimeMillis());
    pending.addAll(limited(name));
    pending.endChunk(chunk);
    try {
      flush(); // a disk that takes nothing is found out here
    } catch (IOException e) {
      out.close();
      throw e;
    }
    thread.setDaemon(true);
    thread.start();
  }

  /** The track for what one sender does. */
  Track sentBy(int sender) {
    Track track = new Track(this, HistoryFormat.SENT, sender);
    sent.add(track);
    return track;
  }

  /** The track for what receivers get and ack of one sender's messages. */
  Track receivedFrom(int sender) {
    return receivedOn(HistoryFormat.RECEIVED, sender);
  }

  /** The track for what a new receiver gets that is not of this run. */
  Track oddOf(int receiver) {
    receivers.incrementAndGet();
    return receivedOn(HistoryFormat.ODD, receiver);
  }

  private Track receivedOn(int type, int subject) {
    Track track = new Track(this, type, subject);
    received.add(track);
    return track;
  }

  /** Records that something happened to the run now. */
  void mark(String what) {
    byte[] text = limited(what);
    synchronized (markLock) {
      int chunk = marks.beginChunk(HistoryFormat.MARK);
      marks.addVarint(micros());
      marks.addAll(text);
      marks.endChunk(chunk);
    }
  }

  /** Records what the run is held to from now on. */
  void expect(Expectations expected) {
    int flags = expected.order() == Ordering.PER_SENDER ? HistoryFormat.ORDER_PER_SENDER : 0;
    flags |= expected.faults() ? HistoryFormat.FAULTS : 0;
    flags |= expected.redelivery() ? HistoryFormat.REDELIVERY : 0;
    synchronized (markLock) {
      int chunk = marks.beginChunk(HistoryFormat.EXPECTED);
      marks.addVarint(micros());
      marks.addVarint(flags);
      marks.endChunk(chunk);
    }
  }

  /** Records what was last said when a verdict was asked for. */
  void judged(boolean drained) {
    judged = drained ? HistoryFormat.DRAINED : HistoryFormat.NOT_DRAINED;
  }

  /** Microseconds since the history was opened. */
  long micros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
  }

  /** Lets the next turn begin at once. */
  void call() {
    LockSupport.unpark(thread);
  }

  /**
   * Writes what is left, and that it is all. Does nothing when closed already.
   *
   * @throws IOException if the history is not complete, now or since an earlier write
   */
  @Override
  public void close() throws IOException {
    closing = true;
    call();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // half a history is none
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      throw new IOException("the history in " + where + " is not complete", failure);
    }
  }

  private void run() {
    try (out) {
      boolean last;
      do {
        if (!closing) {
          LockSupport.parkNanos(this, TURN_NANOS);
        }
        last = closing; // looked at first: what was recorded before it was set is not missed
        turn(last ? HistoryFormat.END : HistoryFormat.CUT);
      } while (!last);
      ended = true;
    } catch (IOException | RuntimeException e) {
      failure = e;
    } finally {
      received.forEach(Track::abandon);
      sent.forEach(Track::abandon);
    }
  }

  private void turn(int type) throws IOException {
    long micros = micros();
    int said = judged;
    collect(received);
    collect(sent);
    synchronized (markLock) {
      pending.addAll(marks);
      marks.clear();
    }
    int chunk = pending.beginChunk(type);
    pending.addVarint(micros);
    pending.addVarint(said);
    pending.addVarint(receivers.get());
    pending.endChunk(chunk);
    flush();
  }

  private void collect(List<Track> tracks) throws IOException {
    for (Track track : tracks) {
      track.drainTo(pending);
      if (pending.length() > ENOUGH_BYTES) {
        flush();
      }
    }
  }

  /** To the operating system: what is there survives this process, but not a loss of power. */
  private void flush() throws IOException {
    pending.writeTo(out);
    pending.clear();
  }

  private static byte[] limited(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MOST_NAME_BYTES) {
      throw new IllegalArgumentException(
          "a name in a history has at most %d bytes, this one %d"
              .formatted(MOST_NAME_BYTES, bytes.length));
    }
    return bytes;
  }
}
