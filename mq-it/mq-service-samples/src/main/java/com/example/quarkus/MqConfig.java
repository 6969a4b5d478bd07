package com.example.quarkus;

import io.smallrye.config.ConfigMapping;
import java.util.Map;

/**
 * For example {@code mqproof.system=kafka}, {@code mqproof.queue=orders} and {@code
 * mqproof.settings."bootstrap.servers"=...}.
 */
@ConfigMapping(prefix = "mqproof")
public interface MqConfig {
  String system();

  String queue();

  Map<String, String> settings();
}
