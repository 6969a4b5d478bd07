package org.mqproof.activemq;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.mqproof.jms.JmsSettings;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/** The settings, and what they mean to ActiveMQ's client. Immutable. */
final class ActiveMqSettings {

  private static final Pattern NAME = Pattern.compile("\\S{1,200}");

  static final Setting<String> USER =
      Setting.pattern(
          "username",
          "mqproof",
          NAME,
          "1 to 200 characters without a space",
          "Who sends and receives; without the right to create queues, for otherwise the broker"
              + " creates any queue that is missing. Ignored by a broker without authentication.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "mqproof", "The password of that user.");
  static final Setting<String> ADMIN_USER =
      Setting.pattern(
          "admin.username",
          "mqproof-admin",
          NAME,
          "1 to 200 characters without a space",
          "Who creates and deletes queues.");
  static final Setting<String> ADMIN_PASSWORD =
      Setting.secret("admin.password", "mqproof-admin", "The administrator's password.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          1,
          1,
          100,
          "Nodes that hold a confirmed message, as the broker's store has it: 1 for a shared store,"
              + " whose nodes all reach it, more for one that replicates.");
  static final Setting<Integer> SOCKET_BUFFER_BYTES =
      Setting.integer(
          "socket.buffer.bytes",
          64 << 10,
          1 << 10,
          64 << 20,
          "ActiveMQ's socketBufferSize, for both directions: what can be under way to one receiver,"
              + " so that the rate is at most this by round trip.");
  static final Setting<Map<String, String>> CLIENT = Setting.client(ActiveMqOptions.ALL);

  static final List<Setting<?>> ALL =
      JmsSettings.with(
          List.of(USER, PASSWORD, ADMIN_USER, ADMIN_PASSWORD, COPIES, SOCKET_BUFFER_BYTES, CLIENT));

  private final JmsSettings shared;

  ActiveMqSettings(MqProvider provider, Settings settings) {
    shared = new JmsSettings("ActiveMQ", provider, settings, COPIES);
    ActiveMqOptions.check(get(CLIENT));
  }

  JmsSettings shared() {
    return shared;
  }

  <T> T get(Setting<T> setting) {
    return shared.get(setting);
  }

  /** The address of one node as ActiveMQ writes it. */
  String uri(String address) {
    long silence = shared.silenceBound().toMillis();
    Map<String, Object> options = new LinkedHashMap<>();
    ActiveMqOptions.putUrl(get(CLIENT), options);
    options.putAll(
        Map.of(
            "connectionTimeout",
            shared.stepBound().toMillis(),
            "socketBufferSize",
            get(SOCKET_BUFFER_BYTES),
            "wireFormat.maxInactivityDuration",
            silence,
            "wireFormat.maxInactivityDurationInitalDelay",
            silence));
    shared.tls().ifPresent(tls -> options.put("socket.verifyHostName", tls.checksHost()));
    StringBuilder uri =
        new StringBuilder(shared.tls().isPresent() ? "ssl://" : "tcp://").append(address);
    char separator = '?';
    for (Map.Entry<String, Object> option : options.entrySet()) {
      uri.append(separator).append(option.getKey()).append('=');
      uri.append(URLEncoder.encode(option.getValue().toString(), UTF_8));
      separator = '&';
    }
    return uri.toString();
  }
}
