package org.mqproof.pulsar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SizeUnit;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.pulsar.Admin.Answer;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;
import org.mqproof.support.OpenParts;
import org.mqproof.support.Promise;
import org.mqproof.support.Tls;
import org.mqproof.support.TlsFailure;

/**
 * Queues of one Pulsar cluster.
 *
 * <p>Two clients, each with its own connections: one for what is sent, one for what is received. A
 * broker stops reading from a connection with too many messages on their way to the bookies; acks
 * on the same connection would then wait as well.
 *
 * <p>Thread-safe.
 */
final class PulsarMq implements Mq {

  /** What Pulsar takes for a part of a topic that is partitioned. */
  private static final Pattern PARTITION = Pattern.compile(".*-partition-\\d+");

  private static final String INDEX_ACKS_ARE_OFF =
      "\"acknowledgmentAtBatchIndexLevelEnabled\":\"false\"";

  private static final String EARLIEST = "{\"ledgerId\":-1,\"entryId\":-1,\"partitionIndex\":-1}";

  private static final long BUSY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PulsarSettings settings;
  private final Admin admin;
  private final PulsarClient sending;
  private final PulsarClient receiving;
  private final OpenParts<PulsarSender, PulsarReceiver> parts;
  private final List<String> prepared = new ArrayList<>();

  private PulsarMq(PulsarSettings settings) {
    this.settings = settings;
    parts = new OpenParts<>(settings.endpoint());
    admin = new Admin(settings);
    sending = client();
    receiving = client();
  }

  private PulsarClient client() {
    try {
      int stepMillis = (int) settings.stepBound().toMillis();
      ClientBuilder builder =
          PulsarClient.builder()
              .loadConf(new HashMap<>(settings.get(PulsarSettings.CLIENT)))
              .serviceUrl(settings.get(PulsarSettings.SERVICE_URL))
              .connectionTimeout(
                  (int) settings.get(PulsarSettings.CONNECT_BOUND).toMillis(),
                  TimeUnit.MILLISECONDS)
              .keepAliveInterval(
                  (int) settings.get(PulsarSettings.KEEP_ALIVE).toSeconds(), TimeUnit.SECONDS)
              .operationTimeout(stepMillis, TimeUnit.MILLISECONDS)
              .lookupTimeout(stepMillis, TimeUnit.MILLISECONDS)
              .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
              .maxBackoffInterval(1, TimeUnit.SECONDS) // a minute would outlast every bound here
              .memoryLimit(0, SizeUnit.BYTES) // the senders' windows are the limit
              .loadConf(Map.of("statsIntervalSeconds", 0L)) // else it counts, for its log
              .ioThreads(1)
              .listenerThreads(1);
      if (settings.token().isPresent()) {
        // Asked for again with each connection.
        builder.authentication(AuthenticationFactory.token(() -> settings.token().orElse("")));
      } else if (settings.tls().map(Tls::hasCertificate).orElse(false)) {
        builder.authentication(new PreparedTls.ByCertificate());
      }
      settings.tls().ifPresent(tls -> prepared.add(PreparedTls.putInto(builder, tls)));
      return builder.build();
    } catch (PulsarClientException e) {
      throw new MqException(
          "%s: cannot make a client: %s".formatted(settings.endpoint(), Causes.reason(e)), e);
    }
  }

  static PulsarMq connect(PulsarSettings settings) {
    PulsarMq mq = new PulsarMq(settings);
    try {
      mq.prepareNamespace();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw TlsFailure.explained(e, settings.tls(), settings.addresses());
    } catch (RuntimeException e) {
      mq.close();
      throw e;
    }
  }

  /** Makes the namespace of this mode, or sees that what is there is as this mode promises. */
  private void prepareNamespace() {
    long deadline = admin.deadlineNanos();
    Answer configuration =
        admin.ask(
            "read the configuration",
            "GET",
            "/admin/v2/brokers/configuration/runtime",
            null,
            deadline);
    if (configuration.text().contains(INDEX_ACKS_ARE_OFF)) {
      throw new MqException(
          settings.endpoint()
              + ": acknowledgmentAtBatchIndexLevelEnabled is off, so an ack of a part of a batch"
              + " would not hold; set it to true");
    }
    requirePromise("broker.conf", NamespacePromise.ofBroker(configuration));
    String path = namespacePath();
    String quorums =
        "\"bookkeeperEnsemble\":%d,\"bookkeeperWriteQuorum\":%d,\"bookkeeperAckQuorum\":%d"
            .formatted(
                settings.get(PulsarSettings.ENSEMBLE),
                settings.get(PulsarSettings.WRITE_QUORUM),
                settings.get(PulsarSettings.ACK_QUORUM));
    String policies =
        """
        {"persistence": {%s, "managedLedgerMaxMarkDeleteRate": 1.0},
         "autoTopicCreationOverride": {"allowAutoTopicCreation": false},
         "autoSubscriptionCreationOverride": {"allowAutoSubscriptionCreation": false}}
        """
            .formatted(quorums);
    String what = "make namespace " + settings.namespace();
    Answer made = admin.ask(what, "PUT", path, policies, deadline);
    if (made.isMissing()) {
      throw new MqException(
          "%s: cannot %s: there is no tenant %s"
              .formatted(settings.endpoint(), what, settings.get(PulsarSettings.TENANT)));
    }
    if (!made.isDone()) {
      // Whoever only sends or receives may not see it; then it is for others to keep it so.
      Answer is = admin.ask(what, "GET", path + "/persistence", null, deadline);
      if (!is.isDenied() && !is.text().contains(quorums)) {
        throw new MqException(
            "%s: namespace %s has other quorums than its name says: %s"
                .formatted(settings.endpoint(), settings.namespace(), is.text()));
      }
    }
  }

  private String namespacePath() {
    return "/admin/v2/namespaces/" + settings.namespace();
  }

  private void requirePromise(String whose, List<String> broken) {
    if (settings.get(PulsarSettings.CHECK_NAMESPACE)) {
      Promise.require(settings.endpoint(), whose, broken, PulsarSettings.CHECK_NAMESPACE.key());
    }
  }

  private void requirePromise(long deadlineNanos) {
    if (settings.get(PulsarSettings.CHECK_NAMESPACE)) {
      String namespace = "namespace " + settings.namespace();
      Answer policies =
          admin.ask(
              "see the policies of " + namespace, "GET", namespacePath(), null, deadlineNanos);
      requirePromise(namespace, NamespacePromise.ofNamespace(policies));
    }
  }

  @Override
  public void createQueue(String queue) {
    parts.requireOpen();
    requireValid(queue);
    long deadline = admin.deadlineNanos();
    requirePromise(deadline);
    Answer topic = admin.request("create queue " + queue, "PUT", path(queue), "{}", deadline);
    Answer subscription = topic.isMissing() ? topic : createSubscription(queue, deadline);
    if (subscription.isMissing() || subscription.isBusy()) {
      throw new MqException(
          "%s: cannot create queue %s: %s"
              .formatted(settings.endpoint(), queue, subscription.text()));
    }
  }

  /** Asks again while Pulsar is busy making it for another client; then it is there already. */
  private Answer createSubscription(String queue, long deadlineNanos) {
    while (true) {
      Answer answer =
          admin.request(
              "create queue " + queue,
              "PUT",
              path(queue) + "/subscription/" + settings.get(PulsarSettings.SUBSCRIPTION),
              EARLIEST,
              deadlineNanos);
      if (!answer.isBusy()
          || deadlineNanos - System.nanoTime() <= BUSY_PAUSE_NANOS
          || Thread.currentThread().isInterrupted()) {
        return answer;
      }
      LockSupport.parkNanos(BUSY_PAUSE_NANOS);
    }
  }

  @Override
  public void deleteQueue(String queue) {
    parts.requireOpen();
    requireValid(queue);
    Answer unused =
        admin.request(
            "delete queue " + queue,
            "DELETE",
            path(queue) + "?force=true",
            null,
            admin.deadlineNanos());
  }

  private String path(String queue) {
    return "/admin/v2/persistent/" + settings.namespace() + "/" + queue;
  }

  private static void requireValid(String queue) {
    Arguments.requireQueueName(queue);
    if (PARTITION.matcher(queue).matches()) {
      throw new IllegalArgumentException(
          "Pulsar takes a topic whose name ends with '-partition-' and a number for a part of"
              + " another one; was '"
              + queue
              + "'");
    }
  }

  /** A topic without the subscription would lose what is sent to it. */
  private void requireQueue(String queue) {
    requireValid(queue);
    long deadline = System.nanoTime() + settings.stepBound().multipliedBy(2).toNanos();
    requirePromise(deadline);
    Answer subscriptions =
        admin.ask("look for queue " + queue, "GET", path(queue) + "/subscriptions", null, deadline);
    if (subscriptions.isDenied()) {
      return; // the topic at least must be there: the namespace lets nobody create one by using it
    }
    String subscription = "\"" + settings.get(PulsarSettings.SUBSCRIPTION) + "\"";
    if (subscriptions.isMissing() || !subscriptions.text().contains(subscription)) {
      throw new MqException(
          "%s: there is no queue %s in namespace %s"
              .formatted(settings.endpoint(), queue, settings.namespace()));
    }
  }

  @Override
  public Sender sender(String queue) {
    parts.requireOpen();
    requireQueue(queue);
    return parts.add(new PulsarSender(settings, queue, sending, parts.senders()::remove));
  }

  @Override
  public Receiver receiver(String queue) {
    parts.requireOpen();
    requireQueue(queue);
    return parts.add(new PulsarReceiver(settings, queue, receiving, parts.receivers()::remove));
  }

  @Override
  public Traits traits() {
    return settings.traits();
  }

  @Override
  public void close() {
    if (!parts.beginClose()) {
      return;
    }
    parts.senders().forEach(PulsarSender::beginClose);
    parts.receivers().forEach(PulsarReceiver::beginClose);
    long step = settings.stepBound().toNanos();
    long outcomesDeadline = System.nanoTime() + step;
    parts.senders().forEach(sender -> sender.awaitOutcomes(outcomesDeadline));
    parts.receivers().forEach(receiver -> receiver.awaitAcks(outcomesDeadline));
    long closingDeadline = System.nanoTime() + step;
    CompletableFuture<?>[] closing =
        Stream.concat(
                parts.senders().stream().map(PulsarSender::closeProducer),
                parts.receivers().stream().map(PulsarReceiver::closeConsumer))
            .toArray(CompletableFuture<?>[]::new);
    boolean unusedInTime = BoundedWaits.await(CompletableFuture.allOf(closing), closingDeadline);
    parts.senders().forEach(PulsarSender::ended);
    parts.receivers().forEach(PulsarReceiver::ended);
    // Closes the connections at once; the threads end after a quiet period of 2 s, which nobody
    // needs to wait for.
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(sending.closeAsync(), receiving.closeAsync());
    prepared.forEach(PreparedTls::forget);
  }
}
