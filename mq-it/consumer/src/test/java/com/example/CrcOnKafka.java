package com.example;

import com.example.crc.CrcMq;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.mqproof.Mq;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/** A third party's adapter on nodes that can die, and what starts them. */
public final class CrcOnKafka {

  static final String NAME = "crc-on-kafka";

  private CrcOnKafka() {}

  /** The adapter. */
  public static final class Adapter implements MqProvider {

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public List<Setting<?>> settings() {
      return MqProvider.named("kafka").settings();
    }

    @Override
    public Mq connect(Map<String, String> settings) {
      return new CrcMq(MqProvider.named("kafka").connect(settings));
    }
  }

  /** Its cluster. */
  public static final class Nodes implements ClusterProvider {

    @Override
    public String system() {
      return NAME;
    }

    @Override
    public Optional<String> whyUnavailable() {
      return ClusterProvider.named("kafka").whyUnavailable();
    }

    @Override
    public Cluster start(Tuning tuning, Consumer<String> progress) {
      return ClusterProvider.named("kafka").start(tuning, progress);
    }
  }
}
