package org.mqproof.valkey;

import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.TlsFailure;

/** Queues of one Valkey primary, whichever node it is. Thread-safe. */
final class ValkeyMq extends ClaimingMq<Queues.Queue, ValkeyDelivery> {

  private final ValkeySettings settings;
  private final Server server;
  private final Queues queues;

  private ValkeyMq(ValkeySettings settings, Server server) {
    super("valkey", settings.endpoint(), server.calls(), settings.bounds(), ValkeyDelivery.class);
    this.settings = settings;
    this.server = server;
    queues = new Queues(server);
  }

  static ValkeyMq connect(ValkeySettings settings) {
    Server server = new Server(settings);
    try {
      boolean unused = server.calls().call("connect", () -> server.use(connection -> true));
      return new ValkeyMq(settings, server);
    } catch (MqException e) {
      server.close();
      throw TlsFailure.explained(e, settings.tls(), settings.addresses());
    }
  }

  @Override
  protected boolean create(String queue) {
    return queues.create(queue);
  }

  @Override
  protected boolean delete(String queue) {
    return queues.delete(queue);
  }

  @Override
  protected Queues.Queue find(String queue) {
    return queues.get(queue);
  }

  @Override
  protected GatheredSends.Store store(Queues.Queue queue) {
    return new Appends(server, queue);
  }

  @Override
  protected ClaimingReceiver.Claims<ValkeyDelivery> claims(Queues.Queue queue) {
    return new Claims(server, queue);
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
