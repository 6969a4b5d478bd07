package org.mqproof.jms;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one receiver has unacked, in the order of arrival: knows which acks can be one range.
 * Guarded by the receiver's lock.
 */
final class UnackedChain {

  private @Nullable JmsDelivery first;
  private @Nullable JmsDelivery last;
  private int size;

  int size() {
    return size;
  }

  void add(JmsDelivery delivery) {
    JmsDelivery end = last;
    if (end == null) {
      first = delivery;
    } else {
      end.next = delivery;
      delivery.previous = end;
    }
    last = delivery;
    size++;
  }

  /** Puts a delivery in the place of another. */
  void replace(JmsDelivery delivery, JmsDelivery by) {
    JmsDelivery before = delivery.previous;
    JmsDelivery after = delivery.next;
    by.previous = before;
    by.next = after;
    if (before == null) {
      first = by;
    } else {
      before.next = by;
    }
    if (after == null) {
      last = by;
    } else {
      after.previous = by;
    }
    delivery.previous = null;
    delivery.next = null;
  }

  void remove(JmsDelivery delivery) {
    JmsDelivery before = delivery.previous;
    JmsDelivery after = delivery.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    delivery.previous = null;
    delivery.next = null;
    size--;
  }

  /** Divides deliveries of this chain into runs without a gap; sorts them by their arrival. */
  List<JmsSubscription.Run> runs(List<JmsDelivery> deliveries) {
    deliveries.sort(Comparator.comparingLong(delivery -> delivery.number));
    List<JmsSubscription.Run> runs = new ArrayList<>();
    List<Object> handles = new ArrayList<>();
    JmsDelivery before = null;
    for (JmsDelivery delivery : deliveries) {
      if (before == null || before.next != delivery) {
        handles = new ArrayList<>();
        // What was acked in the runs before this one counts as acked: they go first.
        boolean fromFirst = runs.isEmpty() && delivery == first;
        runs.add(new JmsSubscription.Run(handles, fromFirst));
      }
      handles.add(delivery.handle);
      before = delivery;
    }
    return runs;
  }
}
