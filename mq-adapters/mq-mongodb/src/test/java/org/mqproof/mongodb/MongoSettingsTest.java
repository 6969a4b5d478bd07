package org.mqproof.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.mongodb.MongoClientSettings;
import com.mongodb.WriteConcern;
import com.mongodb.connection.ClusterConnectionMode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mqproof.AckMode;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Traits;
import org.mqproof.conformance.DeadEndpoints;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

class MongoSettingsTest {

  private static MongoSettings settings(Map<String, String> given) {
    return new MongoSettings(Settings.of(new MongoMqProvider(), given));
  }

  @Test
  void aMajorityAwaitsReplication() {
    Traits traits = settings(Map.of("claim.period", "20s")).traits();
    assertThat(traits.mode()).isEqualTo("write.concern=majority,claim=batch");
    assertThat(traits.copies()).isEqualTo(3);
    assertThat(traits.replicationAwaited()).isTrue();
    assertThat(traits.durable()).isTrue();
    assertThat(traits.claimPeriod()).contains(Duration.ofSeconds(20));
    assertThat(traits.redeliveryBound()).isGreaterThan(Duration.ofSeconds(20));
    assertThat(traits.ackMode()).isEqualTo(AckMode.SELECTIVE);
    assertThat(traits.ordering()).isEqualTo(Ordering.NONE);
  }

  @Test
  void thePrimaryAlonePromisesLess() {
    Traits traits = settings(Map.of("write.concern", "w1", "claim", "one")).traits();
    assertThat(traits.mode()).isEqualTo("write.concern=w1,claim=one");
    assertThat(traits.replicationAwaited()).isFalse();
    assertThat(traits.durable()).isFalse();
  }

  @Test
  void whereThePrimaryIsAloneNobodyElseCanReplaceIt() {
    Traits w1 = settings(Map.of("write.concern", "w1", "copies", "1")).traits();
    assertThat(w1.durable()).isTrue();
    assertThat(settings(Map.of("copies", "1")).traits().replicationAwaited()).isFalse();
  }

  @Test
  void everyWriteIsJournaledAndEndsBeforeTheClientGivesUp() {
    for (String concern : new String[] {"majority", "w1"}) {
      MongoSettings settings = settings(Map.of("write.concern", concern, "call.bound", "20s"));
      WriteConcern written = settings.forDriver().getWriteConcern();
      assertThat(written.getJournal()).isTrue();
      assertThat(written.getWTimeout(TimeUnit.MILLISECONDS))
          .isPositive()
          .isLessThan(
              settings.forDriver().getSocketSettings().getReadTimeout(TimeUnit.MILLISECONDS));
    }
  }

  @Test
  void noWaitInTheDriverIsWithoutABound() {
    MongoClientSettings driver =
        settings(Map.of("connect.bound", "2s", "call.bound", "12s")).forDriver();
    assertThat(driver.getSocketSettings().getReadTimeout(TimeUnit.MILLISECONDS)).isEqualTo(3_000);
    assertThat(driver.getSocketSettings().getConnectTimeout(TimeUnit.MILLISECONDS))
        .isEqualTo(2_000);
    assertThat(driver.getClusterSettings().getServerSelectionTimeout(TimeUnit.MILLISECONDS))
        .isEqualTo(2_000);
    assertThat(driver.getConnectionPoolSettings().getMaxWaitTime(TimeUnit.MILLISECONDS))
        .isEqualTo(2_000);
  }

  @Test
  void aConnectionMustNotTakeTheWholeBound() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("connect.bound", "5s", "call.bound", "10s")))
        .withMessage(
            "mongodb: setting connect.bound cannot be 5000 ms: it takes at most a quarter of"
                + " call.bound, 2500 ms");
  }

  @Test
  void anErrorNamesTheEndpointAndNoPassword() {
    try (DeadEndpoints endpoints = new DeadEndpoints()) {
      MqProvider provider = MqProvider.named("mongodb");
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(
              () ->
                  provider.connect(
                      Map.of(
                          "addresses", endpoints.refusing(),
                          "username", "me",
                          "password", "open sesame",
                          "connect.bound", "100ms")))
          .withMessageStartingWith("MongoDB at " + endpoints.refusing() + ": cannot connect: ")
          .withMessageNotContaining("open sesame");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "w                        | a confirm rests on it; setting write.concern has it",
        "journal                  | a confirm rests on it; setting write.concern has it",
        "retryWrites              | a confirm rests on it; setting write.concern has it",
        "readConcernLevel         | that a claim hides a message rests on it",
        "readPreference           | that a claim hides a message rests on it",
        "socketTimeoutMS          | that calls end in time rests on it; setting call.bound has it",
        "serverSelectionTimeoutMS | that calls end in time rests on it; setting connect.bound has it",
        "tlsInsecure              | settings tls.* have it",
        "authSource               | setting auth.source has it",
        "poolSize                 | MongoDB's driver has no such option",
      })
  void anOptionThatThePromiseRestsOnIsRefused(String option, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client." + option, "planted")))
        .withMessage("mongodb: setting client.%s is refused: %s", option, why);
  }

  @Test
  void aValueThatIsNotTakenIsShownOnlyIfItIsHarmless() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.maxPoolSize", "many")))
        .withMessage(
            "mongodb: setting client.maxPoolSize cannot be 'many': MongoDB's driver does not take it");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("client.authMechanism", "planted")))
        .withMessage(
            "mongodb: setting client.authMechanism cannot be what it is: MongoDB's driver does not take it")
        .withNoCause();
  }

  @Test
  void itsOwnOptionsReachTheDriver() {
    MongoClientSettings driver =
        settings(
                Map.of(
                    "addresses", "a:1,b:2",
                    "client.maxPoolSize", "7",
                    "client.compressors", "zlib",
                    "client.replicaSet", "rs & 1"))
            .forDriver();

    assertThat(driver.getConnectionPoolSettings().getMaxSize()).isEqualTo(7);
    assertThat(driver.getCompressorList()).hasSize(1);
    assertThat(driver.getClusterSettings().getRequiredReplicaSetName()).isEqualTo("rs & 1");
    assertThat(driver.getClusterSettings().getHosts()).hasSize(2);
    assertThat(driver.getClusterSettings().getMode()).isEqualTo(ClusterConnectionMode.MULTIPLE);
    assertThat(driver.getWriteConcern().getWString()).isEqualTo("majority");
    assertThat(driver.getApplicationName()).isEqualTo("mqproof");
    assertThat(settings(Map.of()).forDriver().getConnectionPoolSettings().getMaxSize())
        .isEqualTo(200);
  }
}
