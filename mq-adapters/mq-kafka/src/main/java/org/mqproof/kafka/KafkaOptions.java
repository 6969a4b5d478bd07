package org.mqproof.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
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

  static final ClientOptions ALL = ClientOptions.of("Kafka's client", known(), refused());

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

  private static Map<String, String> refused() {
    Map<String, String> refused = new HashMap<>();
    List.of("enable.idempotence", "retries", "transaction*")
        .forEach(option -> refused.put(option, CONFIRM));
    refused.put("acks", CONFIRM + "; setting acks has it");
    List.of(
            "enable.auto.commit",
            "auto.*",
            "isolation.level",
            "allow.auto.create.topics",
            "share.*",
            "internal.*")
        .forEach(option -> refused.put(option, ACKS));
    List.of("key.*", "value.*", "interceptor.classes", "check.crcs")
        .forEach(option -> refused.put(option, BODIES));
    List.of(
            "group.*",
            "partition.assignment.strategy",
            "heartbeat.interval.ms",
            "max.poll.interval.ms",
            "fetch.max.wait.ms")
        .forEach(option -> refused.put(option, REDELIVERY));
    List.of(
            "delivery.timeout.ms",
            "request.timeout.ms",
            "default.api.timeout.ms",
            "max.block.ms",
            "bootstrap.resolve.timeout.ms",
            "socket.connection.setup.timeout*")
        .forEach(option -> refused.put(option, BOUND));
    List.of("buffer.memory", "max.request.size")
        .forEach(
            option ->
                refused.put(option, "the largest body rests on it; setting max.body.bytes has it"));
    refused.put("partitioner.*", "the order rests on it; setting order has it");
    refused.put("bootstrap.controllers", "queues are the brokers'; setting bootstrap.servers");
    refused.put("config.providers", "a value can be in a file that client.NAME.file names");
    refused.put("max.partition.fetch.bytes", "setting fetch.max.bytes has it");
    List.of(
            "bootstrap.servers",
            "group.id",
            "session.timeout.ms",
            "max.poll.records",
            "fetch.max.bytes",
            "linger.ms",
            "batch.size",
            "max.in.flight.requests.per.connection",
            "compression.type")
        .forEach(option -> refused.put(option, "setting " + option + " has it"));
    return refused;
  }

  /**
   * Fails for a value that Kafka's client would not take, which its own error would show.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static void check(Map<String, String> given) {
    given.forEach(
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
    try {
      Object value = ConfigDef.parseType(key.name, text, key.type);
      if (key.validator != null && value != null) {
        key.validator.ensureValid(key.name, value);
      }
    } catch (ConfigException e) {
      throw ALL.refused("kafka", key.name, text);
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
