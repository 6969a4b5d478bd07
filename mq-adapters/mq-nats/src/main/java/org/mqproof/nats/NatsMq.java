package org.mqproof.nats;

import io.nats.client.JetStreamApiException;
import java.io.IOException;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.MessageLimits;

/** Queues of one account of a NATS cluster, over one connection at a time. Thread-safe. */
final class NatsMq extends ClaimingMq<Queues.Queue, NatsDelivery> {

  private final Server server;
  private final Queues queues;
  private final Traits traits;

  private NatsMq(NatsSettings settings, Server server, Traits traits) {
    super("nats", settings.endpoint(), server.calls(), settings.bounds(), NatsDelivery.class);
    this.server = server;
    this.traits = traits;
    queues = new Queues(server);
  }

  static NatsMq connect(NatsSettings settings) {
    Server server = new Server(settings);
    try {
      long maxPayloadBytes =
          server.calls().call("connect", () -> server.connection().getMaxPayload());
      return new NatsMq(settings, server, settings.traits(maxPayloadBytes));
    } catch (MqException | IllegalArgumentException e) {
      server.close();
      throw e;
    }
  }

  @Override
  protected void create(String queue)
      throws IOException, InterruptedException, JetStreamApiException {
    queues.create(queue);
  }

  @Override
  protected void delete(String queue)
      throws IOException, InterruptedException, JetStreamApiException {
    queues.delete(queue);
  }

  @Override
  protected Queues.Queue find(String queue)
      throws IOException, InterruptedException, JetStreamApiException {
    return queues.get(queue);
  }

  @Override
  protected GatheredSends.Store store(Queues.Queue queue) {
    return new Publishes(server, queues, queue);
  }

  @Override
  protected ClaimingReceiver.Claims<NatsDelivery> claims(Queues.Queue queue) {
    return new Claims(server, queues, queue);
  }

  @Override
  protected MessageLimits limits() {
    return MessageLimits.of(traits, HeaderText::isReserved);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  protected void closeConnections() {
    server.close();
  }
}
