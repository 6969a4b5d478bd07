package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.spi.Settings;
import redis.clients.jedis.exceptions.JedisDataException;

/** What an answer of the server means. */
class AnswersTest {

  private static Server server(String confirm) {
    return new Server(
        new ValkeySettings(
            Settings.of(new ValkeyMqProvider(), Map.of("confirm", confirm, "wait.replicas", "2"))));
  }

  @Test
  void fewerReplicasThanAskedForConfirmNothing() {
    try (Server server = server("wait")) {
      assertThat(server.whyNotConfirmed(2L)).isNull();
      assertThat(server.whyNotConfirmed(1L))
          .hasMessage("1 replicas have it in time, fewer than wait.replicas, 2");
    }
  }

  @Test
  void theDiskOfThePrimaryCountsBesideThoseOfReplicas() {
    try (Server server = server("waitaof")) {
      assertThat(server.whyNotConfirmed(List.of(1L, 2L))).isNull();
      assertThat(server.whyNotConfirmed(List.of(1L, 1L)))
          .hasMessage("1 replicas have it in time, fewer than wait.replicas, 2");
      assertThat(server.whyNotConfirmed(List.of(0L, 2L)))
          .hasMessage("the primary has not written it to its disk in time");
    }
  }

  @Test
  void aPrimaryThatWasReplacedConfirmsNothing() {
    JedisDataException unblocked = new JedisDataException("UNBLOCKED force unblock");
    try (Server server = server("wait")) {
      assertThat(server.whyNotConfirmed(unblocked)).isSameAs(unblocked);
    }
  }

  private static Message message(String... fields) {
    return Appends.message(Stream.of(fields).map(field -> field.getBytes(UTF_8)).toList());
  }

  @Test
  void theFirstFieldIsTheBodyWhateverItsName() {
    Message message = message("payload", "text", "body", "a header", "trace", "1");

    assertThat(message.body()).asString(UTF_8).isEqualTo("text");
    assertThat(message.headers()).isEqualTo(Map.of("body", "a header", "trace", "1"));
  }

  @Test
  void whatIsNoHeaderIsLeftOut() {
    assertThat(message("body", "text", "", "nameless").headers()).isEmpty();
  }

  @Test
  void whatANodeSaysTellsWhetherAnotherMayTakeIt() {
    assertThat(Errors.isNoPrimary(new JedisDataException("READONLY You can't write"))).isTrue();
    assertThat(Errors.isNoPrimary(new JedisDataException("NOREPLICAS Not enough"))).isTrue();
    assertThat(Errors.isNoPrimary(new JedisDataException("OOM command not allowed"))).isFalse();
    assertThat(Errors.isMissing(new JedisDataException("NOGROUP No such key"))).isTrue();
    assertThat(Errors.isRefused(new JedisDataException("WRONGPASS invalid"))).isTrue();
  }
}
