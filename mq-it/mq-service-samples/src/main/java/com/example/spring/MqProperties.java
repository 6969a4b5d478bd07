package com.example.spring;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * For example {@code mqproof.system=kafka}, {@code mqproof.queue=orders} and {@code
 * mqproof.settings.bootstrap.servers=...}.
 */
@ConfigurationProperties("mqproof")
record MqProperties(String system, String queue, @DefaultValue Map<String, String> settings) {}
