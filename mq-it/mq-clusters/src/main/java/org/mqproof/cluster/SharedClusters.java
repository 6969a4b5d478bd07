package org.mqproof.cluster;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The clusters that the test classes of a JVM share. One that no class uses goes on running for the
 * next that does, until a cluster of another kind is needed: nodes that nobody uses take memory,
 * and time of the processor. Thread-safe.
 */
final class SharedClusters implements AutoCloseable {

  private final Map<String, Shared> open = new LinkedHashMap<>();

  /**
   * Takes a cluster into use.
   *
   * @param name of its kind
   * @param start starts one if none of that kind runs; first those are closed that nobody uses
   */
  synchronized Use use(String name, Supplier<Cluster> start) {
    Shared shared = open.get(name);
    if (shared == null) {
      closeThoseWithoutUsers();
      shared = new Shared(start.get());
      open.put(name, shared);
    }
    shared.users++;
    return new Use(shared);
  }

  private void closeThoseWithoutUsers() {
    for (Iterator<Shared> all = open.values().iterator(); all.hasNext(); ) {
      Shared shared = all.next();
      if (shared.users == 0) {
        all.remove();
        shared.cluster.close();
      }
    }
  }

  /** Closes all of them, those in use too. */
  @Override
  public synchronized void close() {
    List<Shared> closing = new ArrayList<>(open.values());
    open.clear();
    closing.forEach(shared -> shared.cluster.close());
  }

  private static final class Shared {

    private final Cluster cluster;
    private int users;

    private Shared(Cluster cluster) {
      this.cluster = cluster;
    }
  }

  /** Ends the use of a cluster when it is closed, once. */
  final class Use implements AutoCloseable {

    private final Shared shared;

    private Use(Shared shared) {
      this.shared = shared;
    }

    Cluster cluster() {
      return shared.cluster;
    }

    @Override
    public void close() {
      synchronized (SharedClusters.this) {
        shared.users--;
      }
    }
  }
}
