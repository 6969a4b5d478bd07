package com.example.orders;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.mqproof.Message;

/**
 * Handles each id once, however often its message comes. For tests: a service keeps the ids in its
 * database, under a unique key, in the transaction of the work itself. Thread-safe.
 */
public final class OncePerId implements Consumer<Message> {

  private final Consumer<Message> handler;
  private final Set<String> handled = new HashSet<>();

  public OncePerId(Consumer<Message> handler) {
    this.handler = handler;
  }

  // once {
  @Override
  public synchronized void accept(Message message) {
    String id = message.headers().get("id");
    if (!handled.contains(id)) {
      handler.accept(message); // in one transaction ...
      handled.add(id); // ... with this
    }
  }
  // }
}
