package com.example.crc;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/** An adapter of a third party: {@code memory}, with a checksum behind each body. Thread-safe. */
public final class CrcMqProvider implements MqProvider {

  @Override
  public String name() {
    return "crc";
  }

  @Override
  public List<Setting<?>> settings() {
    return MqProvider.named("memory").settings();
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return new CrcMq(MqProvider.named("memory").connect(settings));
  }
}
