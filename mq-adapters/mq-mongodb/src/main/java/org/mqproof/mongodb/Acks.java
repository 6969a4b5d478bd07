package org.mqproof.mongodb;

import static com.mongodb.client.model.Filters.in;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;

/**
 * What one receiver holds, and its acks. One round of acks is under way at a time; what is acked
 * meanwhile gathers for the next. An ack deletes a message only while the claim under which it was
 * delivered still holds it.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it.
 */
final class Acks implements Claiming.Journal {

  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  /** Acks that one write settles. */
  private static final class Round {

    private final Map<MongoDelivery, CompletableFuture<Void>> futures = new HashMap<>();
  }

  private final Server server;
  private final String queue;
  private final MongoCollection<RawBsonDocument> collection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();

  /** The ids that one claim may hide. */
  private static final class Held {

    private final Set<ObjectId> ids = new HashSet<>();
    private final long sinceNanos = System.nanoTime();
  }

  /** By the token of the claim, the oldest claim first. */
  private final Map<ObjectId, Held> held = new LinkedHashMap<>();

  /** Tokens of the claim that is under way. */
  private final Set<ObjectId> unanswered = new HashSet<>();

  private final long overAfterNanos;

  private Round gathering = new Round();
  private boolean underWay;

  /**
   * Starts with nothing.
   *
   * @param overAfterNanos after so long a claim is over, and nobody need give it back
   */
  Acks(
      Server server,
      String queue,
      MongoCollection<RawBsonDocument> collection,
      long overAfterNanos) {
    this.overAfterNanos = overAfterNanos;
    this.server = server;
    this.queue = queue;
    this.collection = collection;
  }

  // For the thread that claims.

  /** What an earlier claim left without an answer may be held, and stays to be given back. */
  void beginClaim() {
    lock.lock();
    try {
      unanswered.clear();
      forgetThoseThatAreOver();
    } finally {
      lock.unlock();
    }
  }

  private void forgetThoseThatAreOver() {
    long now = System.nanoTime();
    Iterator<Held> oldest = held.values().iterator();
    while (oldest.hasNext() && now - oldest.next().sinceNanos >= overAfterNanos) {
      oldest.remove();
    }
  }

  @Override
  public void mayClaim(ObjectId token, List<ObjectId> ids) {
    lock.lock();
    try {
      heldUnder(token).ids.addAll(ids);
      unanswered.add(token);
    } finally {
      lock.unlock();
    }
  }

  /** Replaces what may be claimed since {@link #beginClaim} by what is. */
  List<MongoDelivery> claimed(List<Claiming.Claimed> claims) {
    List<MongoDelivery> deliveries = new ArrayList<>(claims.size());
    lock.lock();
    try {
      held.keySet().removeAll(unanswered);
      unanswered.clear();
      for (Claiming.Claimed claim : claims) {
        heldUnder(claim.token()).ids.add(claim.id());
        deliveries.add(new MongoDelivery(this, claim.token(), claim.id(), claim.message()));
      }
    } finally {
      lock.unlock();
    }
    return deliveries;
  }

  private Held heldUnder(ObjectId token) {
    return held.computeIfAbsent(token, none -> new Held());
  }

  /** How many claims are kept in mind. */
  int claims() {
    lock.lock();
    try {
      return held.size();
    } finally {
      lock.unlock();
    }
  }

  // For the thread that receives.

  /**
   * Acks; what was acked before, or is lost, is left out.
   *
   * @return completes when none of them will come back
   */
  CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof MongoDelivery ours) || ours.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
    }
    CompletableFuture<Void> future = new CompletableFuture<>();
    Set<CompletableFuture<Void>> waitFor = new HashSet<>();
    boolean ended = false;
    boolean gathered = false;
    lock.lock();
    try {
      for (Delivery delivery : deliveries) {
        MongoDelivery ours = (MongoDelivery) delivery;
        if (ours.state == MongoDelivery.State.CLAIMED) {
          ours.state = MongoDelivery.State.ACKING;
          ours.acking = future;
          gathering.futures.put(ours, future);
          gathered = true;
        } else if (ours.state == MongoDelivery.State.ACKING && ours.acking != null) {
          waitFor.add(ours.acking);
        } else {
          ended |= ours.state == MongoDelivery.State.ENDED;
        }
      }
      startRound();
    } finally {
      lock.unlock();
    }
    if (gathered) {
      waitFor.add(future);
    }
    if (ended) {
      waitFor.add(CompletableFuture.failedFuture(claimEnded()));
    }
    return allOf(waitFor);
  }

  /** Fails with what failed, not with a {@link CompletionException} around it. */
  private static CompletableFuture<Void> allOf(Collection<CompletableFuture<Void>> futures) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    all.complete(null);
                  } else {
                    all.completeExceptionally(
                        failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
                  }
                });
    return all;
  }

  private MqException claimEnded() {
    return new MqException(
        "%s, queue %s: a claim had ended before the ack arrived"
            .formatted(server.settings().endpoint(), queue));
  }

  private void startRound() {
    if (!underWay && !gathering.futures.isEmpty()) {
      Round round = gathering;
      gathering = new Round();
      underWay = true;
      server.calls().execute(() -> run(round));
    }
  }

  // In a thread of the server's.

  private void run(Round round) {
    Set<ObjectId> notOurs = new HashSet<>();
    MqException failure = null;
    try {
      notOurs.addAll(delete(round.futures.keySet()));
    } catch (MongoException | IllegalStateException e) { // the latter if the client is closed
      failure = server.calls().failed("ack messages of queue " + queue, e);
    } finally {
      ended(round, notOurs, failure);
    }
  }

  /**
   * Deletes what is still ours.
   *
   * @return the ids of those that were not, and that are still there: they may come back
   */
  private Set<ObjectId> delete(Set<MongoDelivery> deliveries) {
    int deleted =
        collection
            .bulkWrite(models(byToken(deliveries), DeleteManyModel::new), UNORDERED)
            .getDeletedCount();
    if (deleted == deliveries.size()) {
      return Set.of();
    }
    List<ObjectId> ids = deliveries.stream().map(MongoDelivery::id).toList();
    return collection
        .find(in(Fields.ID, ids))
        .projection(Projections.include(Fields.ID))
        .map(Fields::id)
        .into(new HashSet<>());
  }

  private static List<WriteModel<RawBsonDocument>> models(
      Map<ObjectId, Set<ObjectId>> byToken, Function<Bson, WriteModel<RawBsonDocument>> model) {
    List<WriteModel<RawBsonDocument>> models = new ArrayList<>(byToken.size());
    byToken.forEach((token, ids) -> models.add(model.apply(Claims.heldBy(token, ids))));
    return models;
  }

  private void ended(Round round, Set<ObjectId> notOurs, @Nullable MqException failure) {
    Set<CompletableFuture<Void>> failed = new HashSet<>();
    lock.lock();
    try {
      round.futures.forEach(
          (delivery, future) -> {
            delivery.acking = null;
            if (failure != null) {
              delivery.state = MongoDelivery.State.CLAIMED; // may be tried again
              failed.add(future);
              return;
            }
            forget(delivery);
            if (notOurs.contains(delivery.id())) {
              delivery.state = MongoDelivery.State.ENDED;
              failed.add(future);
            } else {
              delivery.state = MongoDelivery.State.SETTLED;
            }
          });
      underWay = false;
    } finally {
      lock.unlock();
    }
    MqException cause = failure == null ? claimEnded() : failure;
    failed.forEach(future -> future.completeExceptionally(cause));
    round.futures.values().forEach(future -> future.complete(null)); // those that did not fail
    lock.lock();
    try {
      startRound();
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Called with the lock. */
  private void forget(MongoDelivery delivery) {
    Held rest = held.get(delivery.token());
    if (rest != null && rest.ids.remove(delivery.id()) && rest.ids.isEmpty()) {
      held.remove(delivery.token());
    }
  }

  /** Gives back what nobody was handed, in a thread of the server's; others need it soon. */
  void giveBackSoon(Collection<MongoDelivery> deliveries) {
    Future<?> unused = // if it fails: the end of the claims does the same, later
        server
            .calls()
            .submit(
                () -> {
                  free(byToken(deliveries));
                  lock.lock();
                  try {
                    deliveries.forEach(this::forget);
                  } finally {
                    lock.unlock();
                  }
                  return true;
                });
  }

  private static Map<ObjectId, Set<ObjectId>> byToken(Collection<MongoDelivery> deliveries) {
    Map<ObjectId, Set<ObjectId>> byToken = new HashMap<>();
    for (MongoDelivery delivery : deliveries) {
      byToken.computeIfAbsent(delivery.token(), none -> new HashSet<>()).add(delivery.id());
    }
    return byToken;
  }

  // For the thread that closes.

  /** Waits until every ack was answered; at most until a deadline, and through interrupts. */
  void awaitIdle(long deadlineNanos) {
    boolean interrupted = false;
    Round open = null;
    lock.lock();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (isBusy() && left > 0) {
        try {
          left = idle.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
          left = deadlineNanos - System.nanoTime();
        }
      }
      if (isBusy()) {
        open = gathering;
        gathering = new Round();
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (open != null) {
      MqException cause =
          new MqException(server.settings().endpoint() + ": the receiver was closed");
      open.futures.values().forEach(future -> future.completeExceptionally(cause));
    }
  }

  private boolean isBusy() {
    return underWay || !gathering.futures.isEmpty();
  }

  /** Gives back all that is held, or may be. Blocks in the driver. */
  void giveBack() {
    Map<ObjectId, Set<ObjectId>> rest = new HashMap<>();
    lock.lock();
    try {
      held.forEach((token, claim) -> rest.put(token, claim.ids));
      held.clear();
    } finally {
      lock.unlock();
    }
    rest.values().removeIf(Set::isEmpty);
    if (!rest.isEmpty()) {
      free(rest);
    }
  }

  private void free(Map<ObjectId, Set<ObjectId>> byToken) {
    var unused =
        collection.bulkWrite(
            models(byToken, filter -> new UpdateManyModel<>(filter, Claims.freeAgain())),
            UNORDERED);
  }
}
