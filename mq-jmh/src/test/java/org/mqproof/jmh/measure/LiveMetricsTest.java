package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Verdict;

class LiveMetricsTest {

  private static final Verdict VERDICT =
      new Verdict(
          9,
          8,
          0,
          1,
          7,
          7,
          1,
          0,
          2,
          3,
          0,
          4,
          0,
          0,
          true,
          new Verdict.Acks(true, 0, 0, false),
          Verdict.Anomalies.NONE,
          Expectations.AT_LEAST_ONCE,
          List.of());

  @Test
  void aTrialIsToldInPrometheusTextFormat() {
    assertThat(LiveMetrics.text(moment(VERDICT)).lines())
        .contains(
            "# TYPE mqproof_messages_confirmed_total counter",
            "mqproof_messages_confirmed_total{benchmark=\"Flow\",system=\"a\\\"b\"} 42",
            "mqproof_backlog_messages{benchmark=\"Flow\",system=\"a\\\"b\"} 2",
            "mqproof_verdict_messages{benchmark=\"Flow\",system=\"a\\\"b\",outcome=\"lost\"} 1",
            "mqproof_verdict_messages{benchmark=\"Flow\",system=\"a\\\"b\",outcome=\"corrupt\"} 4")
        .anyMatch(
            line ->
                line.matches("mqproof_send_latency_seconds\\{.*,quantile=\"0.99\"} 0\\.002\\d*"))
        .allMatch(
            line ->
                line.matches("# (HELP|TYPE) mqproof_\\w+ .+")
                    || line.matches(
                        "mqproof_\\w+\\{(\\w+=\"([^\"\\\\]|\\\\.)*\",?)+} -?[\\d.E-]+"));
  }

  @Test
  void beforeTheEndThereIsNoVerdict() {
    assertThat(LiveMetrics.text(moment(null))).doesNotContain("verdict");
  }

  @Test
  void itIsOffUnlessAskedFor() throws IOException {
    assertThat(LiveMetrics.at("", () -> moment(null))).isNull();
    assertThatThrownBy(() -> LiveMetrics.at("localhost", () -> moment(null)))
        .hasMessage("mqproof.metrics cannot be 'localhost': it takes PORT or ADDRESS:PORT");
  }

  @Test
  void itAnswersOnLoopbackAndWaitsUntilTheVerdictWasRead() throws Exception {
    try (LiveMetrics metrics = Objects.requireNonNull(LiveMetrics.at("0", () -> moment(VERDICT)))) {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://localhost:" + metrics.port() + "/metrics"))
                      .timeout(Duration.ofSeconds(30))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4");
      assertThat(answer.body()).isEqualTo(LiveMetrics.text(moment(VERDICT)));
    }
  }

  /** Grafana itself is not run by any test. */
  @Test
  void theDashboardAsksForWhatIsServed() throws IOException {
    Path file = Path.of("..", "docs", "grafana-dashboard.json");
    JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(file));
    Set<String> asked = new TreeSet<>();
    for (JsonNode expression : dashboard.findValues("expr")) {
      Pattern.compile("mqproof_\\w+")
          .matcher(expression.asText())
          .results()
          .forEach(name -> asked.add(name.group()));
    }
    Set<String> served = new TreeSet<>();
    Pattern.compile("(?m)^# TYPE (\\w+)")
        .matcher(LiveMetrics.text(moment(VERDICT)))
        .results()
        .forEach(name -> served.add(name.group(1)));

    assertThat(asked).isSubsetOf(served).hasSizeGreaterThan(5);
    assertThat(dashboard.path("panels"))
        .allMatch(panel -> panel.has("gridPos") && panel.has("type") && panel.has("title"))
        .hasSize(6);
  }

  private static LiveMetrics.Moment moment(@Nullable Verdict verdict) {
    Map<Timeline.Kind, Distribution> latencies = new EnumMap<>(Timeline.Kind.class);
    for (Timeline.Kind kind : Timeline.Kind.values()) {
      latencies.put(kind, new Distribution());
    }
    Timeline.of(latencies, Timeline.Kind.SEND).record(2_000_000, 100);
    Timeline.of(latencies, Timeline.Kind.PROCESSING).record(3_000_000, 100);
    return new LiveMetrics.Moment(
        Map.of("system", "a\"b", "benchmark", "Flow"), 42, 40, 2L, 0, true, latencies, verdict);
  }
}
