package org.mqproof.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Traits;
import org.mqproof.spi.Settings;

class RocketMqSettingsTest {

  private static RocketMqSettings settings(Map<String, String> given) {
    return new RocketMqSettings(Settings.of(new RocketMqProvider(), given));
  }

  private static Properties safe() {
    Properties safe = new Properties();
    safe.putAll(
        Map.of(
            "timerWheelEnable", "true",
            "popConsumerKVServiceEnable", "false",
            "enablePopBufferMerge", "false",
            "skipWhenCKRePutReachMaxTimes", "false",
            "timerSkipUnknownError", "false",
            "cleanFileForciblyEnable", "false",
            "enableControllerMode", "true",
            "allAckInSyncStateSet", "true",
            "minInSyncReplicas", "2",
            "flushDiskType", "SYNC_FLUSH"));
    return safe;
  }

  @Test
  void safeBrokersAreTaken() {
    assertThat(new BrokerPromise(safe()).broken(settings(Map.of()))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "cleanFileForciblyEnable, true, 'cleanFileForciblyEnable is true, must be false'",
    "popConsumerKVServiceEnable, true, 'popConsumerKVServiceEnable is true, must be false'",
    "allAckInSyncStateSet, false, 'allAckInSyncStateSet is false, must be true'",
    "minInSyncReplicas, 1, 'minInSyncReplicas is 1, must be at least 2'",
    "flushDiskType, ASYNC_FLUSH, 'flushDiskType is ASYNC_FLUSH, must be SYNC_FLUSH'",
  })
  void brokersThatLoseMessagesAreNot(String key, String value, String says) {
    Properties unsafe = safe();
    unsafe.setProperty(key, value);

    assertThat(new BrokerPromise(unsafe).broken(settings(Map.of()))).containsExactly(says);
  }

  @Test
  void whatTheSettingsDoNotPromiseNeedNotBe() {
    Properties one = safe();
    one.setProperty("flushDiskType", "ASYNC_FLUSH");
    one.setProperty("enableControllerMode", "false");
    one.setProperty("minInSyncReplicas", "1");

    assertThat(new BrokerPromise(one).broken(settings(Map.of("copies", "1", "flush", "async"))))
        .isEmpty();
  }

  @Test
  void theBrokersSayWhatFitsAndForHowLong() {
    Properties found = safe();
    found.setProperty("maxMessageSize", "1000000");
    found.setProperty("fileReservedTime", "49");
    Traits traits = settings(Map.of()).traits(new BrokerPromise(found));

    assertThat(traits.mode()).isEqualTo("flush=sync");
    assertThat(traits.copies()).isEqualTo(2);
    assertThat(traits.largestBodyBytes()).isEqualTo(1_000_000 - 65_536);
    assertThat(traits.retention()).isEqualTo(Optional.of(Duration.ofHours(49)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "http://one:9876", "one:9876;two:9876", "one:9876,"})
  void anythingButHostsAndPortsIsRefused(String servers) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("name.servers", servers)))
        .withMessageContaining("rocketmq: setting name.servers cannot be");
  }
}
