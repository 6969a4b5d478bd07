package org.mqproof.mongodb;

import java.util.List;
import org.bson.types.ObjectId;
import org.mqproof.Message;

/**
 * A way to claim messages that nobody else holds. For one thread at a time; blocks in the driver.
 */
interface Claiming {

  /** A claimed message. */
  record Claimed(ObjectId token, ObjectId id, Message message) {}

  /** Is told of what may be claimed in a moment, before the server is. */
  interface Journal {

    /** From now on these may be claimed under this token, whatever becomes of the answer. */
    void mayClaim(ObjectId token, List<ObjectId> ids);
  }

  /**
   * Claims what is there, without waiting for more.
   *
   * @param max most messages to claim, at least 1
   * @return what is claimed now; empty if nothing was there, or others were faster
   */
  List<Claimed> claim(int max, Journal journal);
}
