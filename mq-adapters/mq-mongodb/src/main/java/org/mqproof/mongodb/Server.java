package org.mqproof.mongodb;

import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import java.util.List;
import org.bson.Document;
import org.mqproof.MqException;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.TlsFailure;

/**
 * The driver's client and the threads in which it is called.
 *
 * <p>Thread-safe.
 */
final class Server implements AutoCloseable {

  private final MongoSettings settings;
  private final MongoClient client;
  private final MongoDatabase database;
  private final BlockingCalls calls;

  /** Connects in the background. */
  Server(MongoSettings settings) {
    this.settings = settings;
    client = MongoClients.create(settings.forDriver());
    database = client.getDatabase(settings.get(MongoSettings.DATABASE));
    calls =
        new BlockingCalls(
            "mqproof-mongodb", settings.endpoint(), Errors::reason, settings.callBound());
  }

  BlockingCalls calls() {
    return calls;
  }

  MongoDatabase database() {
    return database;
  }

  MongoSettings settings() {
    return settings;
  }

  /**
   * Fails if there is no primary that lets us in, or if it has not the copies that are declared. A
   * router of a sharded cluster does not know.
   */
  void requireCopies() {
    Document node = calls.call("connect", this::hello);
    boolean isRouter = "isdbgrid".equals(node.getString("msg"));
    int nodes = Math.max(1, size(node, "hosts") + size(node, "passives"));
    int copies = settings.get(MongoSettings.COPIES);
    if (!isRouter && nodes < copies) {
      throw new MqException(
          "%s: cannot connect: setting copies is %d, and nodes that hold data are %d; add nodes, or set copies to %d"
              .formatted(settings.endpoint(), copies, nodes, nodes));
    }
  }

  /** Adds the reason of a failed handshake, which the driver keeps in its descriptions of nodes. */
  private Document hello() {
    try {
      return database.runCommand(new Document("hello", 1));
    } catch (MongoTimeoutException e) {
      for (ServerDescription node : client.getClusterDescription().getServerDescriptions()) {
        if (e.getCause() == null && TlsFailure.explain(node.getException()).isPresent()) {
          var unused = e.initCause(node.getException());
        }
      }
      throw e;
    }
  }

  private static int size(Document node, String list) {
    List<String> names = node.getList(list, String.class);
    return names == null ? 0 : names.size();
  }

  /** Closes the connections. Threads that still wait for an answer end with their own bound. */
  @Override
  public void close() {
    calls.close();
    client.close();
  }
}
