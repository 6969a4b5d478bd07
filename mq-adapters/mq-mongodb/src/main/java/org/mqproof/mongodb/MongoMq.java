package org.mqproof.mongodb;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.TlsFailure;

/** Queues in one database of a MongoDB replica set, over one driver client. Thread-safe. */
final class MongoMq extends ClaimingMq<Queues.Queue, MongoDelivery> {

  private final MongoSettings settings;
  private final Server server;
  private final Queues queues;
  private final Map<String, Arrivals> arrivals = new ConcurrentHashMap<>();

  private MongoMq(MongoSettings settings, Server server) {
    super("mongodb", settings.endpoint(), server.calls(), settings.bounds(), MongoDelivery.class);
    this.settings = settings;
    this.server = server;
    queues = new Queues(settings, server.database());
  }

  static MongoMq connect(MongoSettings settings) {
    MongoMq mq = new MongoMq(settings, new Server(settings));
    try {
      mq.server.requireCopies();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw TlsFailure.explained(e, settings.tls(), settings.addresses());
    }
  }

  @Override
  protected void create(String queue) {
    queues.create(queue);
  }

  @Override
  protected void delete(String queue) {
    queues.delete(queue);
  }

  @Override
  protected Queues.Queue find(String queue) {
    return queues.get(queue);
  }

  @Override
  protected GatheredSends.Store store(Queues.Queue queue) {
    return new Inserts(queues, queue);
  }

  @Override
  protected ClaimingReceiver.Claims<MongoDelivery> claims(Queues.Queue queue) {
    var messages = queues.messages(queue);
    Clauses clauses = new Clauses(settings.bounds());
    Claiming claiming =
        switch (settings.get(MongoSettings.CLAIM)) {
          case BATCH -> new ClaimBatch(messages, queue.slots(), clauses);
          case ONE -> new ClaimOne(messages, queue.slots(), clauses);
        };
    return new Claims(
        server,
        queues,
        queue,
        claiming,
        arrivals.computeIfAbsent(queue.collection(), name -> new Arrivals(server, messages)));
  }

  @Override
  public Traits traits() {
    return settings.traits();
  }

  @Override
  protected void closeConnections() {
    server.close();
  }
}
