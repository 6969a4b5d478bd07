package org.mqproof.rabbitmq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.LongStringHelper;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {

  private static LongString text(String text) {
    return LongStringHelper.asLongString(text);
  }

  @Test
  void withoutATableThereAreNoHeaders() {
    assertThat(Headers.of(null)).isEmpty();
    assertThat(Headers.of(Map.of())).isEmpty();
  }

  @Test
  void ofAForeignTableTheTextsAreHeaders() {
    Map<String, Object> table = new HashMap<>();
    table.put("traceparent", text("00-ab-01"));
    table.put("greeting", text("gr\u00fc\u00df dich"));
    table.put("number", 7);
    table.put("flag", true);
    table.put("list", List.of(text("a")));
    table.put("nothing", null);
    table.put("empty", text(""));
    table.put("not a name", text("a"));
    table.put("control", text("a\u0001"));
    table.put("latin", LongStringHelper.asLongString("\u00e9".getBytes(ISO_8859_1)));
    table.put("x-first-death-queue", text("q"));
    table.put("x-death", List.of());
    assertThat(Headers.of(table))
        .containsOnly(
            Map.entry("traceparent", "00-ab-01"), Map.entry("greeting", "gr\u00fc\u00df dich"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"CC", "BCC", "x-delay", "x-delivery-count", "x-opt-rabbitmq-deaths"})
  void whatTheBrokerActsOnIsReserved(String name) {
    assertThat(Headers.isReserved(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cc", "x-request-id", "X-B3-TraceId", "x-cache", "content-type"})
  void whatItDoesNotActOnIsFree(String name) {
    assertThat(Headers.isReserved(name)).isFalse();
  }

  @Test
  void deliveriesAreCountedByAQuorumQueue() {
    assertThat(Headers.attempt(null, true)).isEqualTo(1);
    assertThat(Headers.attempt(null, false)).as("not counted").isZero();
    assertThat(Headers.attempt(Map.of("x-delivery-count", 2L), true)).isEqualTo(3);
    assertThat(Headers.attempt(Map.of("x-delivery-count", 2L, "x-acquired-count", 5L), true))
        .isEqualTo(6);
    assertThat(Headers.attempt(Map.of("x-delivery-count", text("2")), false)).isZero();
  }
}
