package org.mqproof.jmh.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.SplittableRandom;
import org.mqproof.Message;

/**
 * Messages made once and sent again and again: the contract gives bodies back when a send has
 * ended. Batches of every size share the same messages. Not thread-safe.
 */
final class Batches {

  private static final VarHandle TIME =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Prefix[] bySize;

  /**
   * Makes the messages.
   *
   * @param most largest batch
   * @param bodyBytes length of each body; filled with noise, which no broker can compress away
   */
  Batches(int most, int bodyBytes) {
    SplittableRandom random = new SplittableRandom(bodyBytes);
    Message[] messages = new Message[most];
    for (int i = 0; i < most; i++) {
      byte[] body = new byte[bodyBytes];
      random.nextBytes(body);
      messages[i] = new Message(body);
    }
    bySize = new Prefix[most + 1];
    for (int size = 0; size <= most; size++) {
      bySize[size] = new Prefix(messages, size);
    }
  }

  /**
   * A batch.
   *
   * @param size from 0 to the largest
   * @return the same list at every call with this size
   */
  List<Message> of(int size) {
    return bySize[size];
  }

  /** Stands in for a ledger's stamp, so that the latency is measured with and without one. */
  static void writeTime(List<Message> batch, long sentAtNanos) {
    for (int i = 0; i < batch.size(); i++) {
      TIME.set(batch.get(i).body(), 0, sentAtNanos);
    }
  }

  static long readTime(Message message) {
    return (long) TIME.get(message.body(), 0);
  }

  private static final class Prefix extends AbstractList<Message> implements RandomAccess {
    private final Message[] messages;
    private final int size;

    Prefix(Message[] messages, int size) {
      this.messages = messages;
      this.size = size;
    }

    @Override
    public Message get(int index) {
      if (index >= size) {
        throw new IndexOutOfBoundsException(index);
      }
      return messages[index];
    }

    @Override
    public int size() {
      return size;
    }
  }
}
