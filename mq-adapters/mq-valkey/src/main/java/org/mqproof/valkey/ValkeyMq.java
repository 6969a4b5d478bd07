package org.mqproof.valkey;

import java.util.List;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.Arguments;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;
import org.mqproof.support.TlsFailure;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** Queues of one Valkey primary, whichever node it is: each a stream and its group. Thread-safe. */
final class ValkeyMq extends ClaimingMq<String, ValkeyDelivery> {

  static final String GROUP = "mqproof";

  private final ValkeySettings settings;
  private final Server server;

  private ValkeyMq(ValkeySettings settings, Server server) {
    super("valkey", settings.endpoint(), server.calls(), settings.bounds(), ValkeyDelivery.class);
    this.settings = settings;
    this.server = server;
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

  static String stream(String queue) {
    return "mqproof:queue:" + queue;
  }

  @Override
  protected void create(String queue) {
    try {
      Object unused =
          server.confirmed(
              connection ->
                  connection.sendCommand(
                      Command.XGROUP, "CREATE", stream(queue), GROUP, "0", "MKSTREAM"));
    } catch (JedisDataException e) {
      if (!Errors.isThere(e)) {
        throw e;
      }
    }
  }

  @Override
  protected void delete(String queue) {
    Object unused =
        server.confirmed(connection -> connection.sendCommand(Command.UNLINK, stream(queue)));
  }

  @Override
  protected String find(String queue) {
    Arguments.requireQueueName(queue);
    try {
      Object unused =
          server.use(connection -> Script.OPEN.run(connection, stream(queue), List.of()));
      return queue;
    } catch (JedisDataException e) {
      if (Errors.isMissing(e)) {
        throw new MqException("%s: there is no queue %s".formatted(settings.endpoint(), queue), e);
      }
      throw e;
    }
  }

  @Override
  protected GatheredSends.Store store(String queue) {
    return new Appends(server, queue);
  }

  @Override
  protected ClaimingReceiver.Claims<ValkeyDelivery> claims(String queue) {
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
