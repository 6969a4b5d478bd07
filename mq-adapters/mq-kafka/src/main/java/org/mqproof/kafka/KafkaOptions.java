package org.mqproof.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.mqproof.spi.ClientOptions;

/** Options of Kafka's own clients that settings {@code client.NAME} pass on. No state. */
final class KafkaOptions {

  private static final String CONFIRM = "a confirm rests on it";
  private static final String ACKS = "what an ack settles rests on it";
  private static final String BODIES = "that bodies arrive unchanged rests on it";
  private static final String REDELIVERY = "when messages of a dead receiver come back rests on it";
  private static final String BOUND =
      "that calls end in time rests on it; setting call.bound has it";

  /** The only thing here that may be shown; text may be anything. */
  private static final Set<ConfigDef.Type> HARMLESS =
      Set.of(
          ConfigDef.Type.BOOLEAN,
          ConfigDef.Type.INT,
          ConfigDef.Type.SHORT,
          ConfigDef.Type.LONG,
          ConfigDef.Type.DOUBLE);

  private static final List<ConfigDef> DEFINITIONS =
      List.of(
          ProducerConfig.configDef(), ConsumerConfig.configDef(), AdminClientConfig.configDef());

  static final ClientOptions ALL =
      ClientOptions.of("Kafka's client")
          .known(known())
          .refused(CONFIRM, "enable.idempotence", "retries", "transaction*")
          .refused(CONFIRM + "; setting acks has it", "acks")
          .refused(
              ACKS,
              "enable.auto.commit",
              "auto.*",
              "isolation.level",
              "allow.auto.create.topics",
              "share.*",
              "internal.*")
          .refused(BODIES, "key.*", "value.*", "interceptor.classes", "check.crcs")
          .refused(
              REDELIVERY,
              "group.*",
              "partition.assignment.strategy",
              "heartbeat.interval.ms",
              "max.poll.interval.ms",
              "fetch.max.wait.ms")
          .refused(
              BOUND,
              "delivery.timeout.ms",
              "request.timeout.ms",
              "default.api.timeout.ms",
              "max.block.ms",
              "bootstrap.resolve.timeout.ms",
              "socket.connection.setup.timeout*")
          .refused(
              "the largest body rests on it; setting max.body.bytes has it",
              "buffer.memory",
              "max.request.size")
          .refused("the order rests on it; setting order has it", "partitioner.*")
          .refused("queues are the brokers'; setting bootstrap.servers", "bootstrap.controllers")
          .refused("a value can be in a file that client.NAME.file names", "config.providers")
          .refused("setting fetch.max.bytes has it", "max.partition.fetch.bytes")
          .refused("setting bootstrap.servers has it", "bootstrap.servers")
          .refused("setting group.id has it", "group.id")
          .refused("setting session.timeout.ms has it", "session.timeout.ms")
          .refused("setting max.poll.records has it", "max.poll.records")
          .refused("setting fetch.max.bytes has it", "fetch.max.bytes")
          .refused("setting linger.ms has it", "linger.ms")
          .refused("setting batch.size has it", "batch.size")
          .refused(
              "setting max.in.flight.requests.per.connection has it",
              "max.in.flight.requests.per.connection")
          .refused("setting compression.type has it", "compression.type");

  private KafkaOptions() {}

  private static Map<String, Boolean> known() {
    Map<String, Boolean> known = new HashMap<>();
    for (ConfigDef definition : DEFINITIONS) {
      definition
          .configKeys()
          .forEach(
              (option, key) ->
                  known.merge(option, HARMLESS.contains(key.type), Boolean::logicalAnd));
    }
    return known;
  }

  /**
   * Fails for a value that Kafka's client would not take, which its own error would show.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static void check(Map<String, String> given) {
    ALL.check(
        "kafka",
        given,
        (option, text) -> {
          for (ConfigDef definition : DEFINITIONS) {
            ConfigDef.ConfigKey key = definition.configKeys().get(option);
            if (key != null) {
              check(key, text);
            }
          }
        });
  }

  private static void check(ConfigDef.ConfigKey key, String text) {
    Object value = ConfigDef.parseType(key.name, text, key.type);
    if (key.validator != null && value != null) {
      key.validator.ensureValid(key.name, value);
    }
  }

  /** Adds what one of Kafka's clients knows of it. */
  static void put(Map<String, String> given, ConfigDef client, Map<String, Object> config) {
    given.forEach(
        (option, value) -> {
          if (client.configKeys().containsKey(option)) {
            config.put(option, value);
          }
        });
  }
}
