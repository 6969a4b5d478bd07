package com.example.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.MemoryBroker;

/** A trace goes on behind the queue. */
class TraceContextTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  // A service takes GlobalOpenTelemetry.getPropagators().getTextMapPropagator().
  private final TextMapPropagator propagator = W3CTraceContextPropagator.getInstance();

  // trace {
  Message message(byte[] body) {
    Map<String, String> headers = new HashMap<>();
    propagator.inject(Context.current(), headers, Map::put);
    return new Message(body, headers);
  }

  void handle(Message message, Consumer<Message> handler) {
    Context sent = propagator.extract(Context.root(), message, HEADERS);
    sent.wrap(() -> handler.accept(message)).run();
  }

  private static final TextMapGetter<Message> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Message message) {
          return message.headers().keySet();
        }

        @Override
        public @Nullable String get(@Nullable Message message, String key) {
          return message == null ? null : message.headers().get(key);
        }
      };

  // }

  private final List<SpanContext> seen = new ArrayList<>();

  private void see(Message message) {
    seen.add(Span.current().getSpanContext());
  }

  @Test
  void aTraceGoesThroughTheQueue() throws Exception {
    TraceState state = TraceState.builder().put("a", "b").build();
    Span span = Span.wrap(SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), state));
    try (Mq mq = new MemoryBroker().connect()) {
      mq.createQueue("orders");
      try (Sender sender = mq.sender("orders");
          Receiver receiver = mq.receiver("orders")) {
        sender.send(List.of(Context.root().with(span).wrap(() -> message(new byte[1])).call()));

        Message received = receiver.receive(1, Duration.ofSeconds(30)).get(0).message();
        assertThat(received.headers())
            .containsOnly(
                Map.entry("traceparent", "00-" + TRACE + "-" + SPAN + "-01"),
                Map.entry("tracestate", "a=b"));
        handle(received, this::see);
      }
    }
    assertThat(seen)
        .containsExactly(
            SpanContext.createFromRemoteParent(TRACE, SPAN, TraceFlags.getSampled(), state));
  }

  @Test
  void withoutATraceThereAreNoHeaders() {
    Message message = message(new byte[1]);
    assertThat(message.headers()).isEmpty();
    handle(message, this::see);
    assertThat(seen).containsExactly(SpanContext.getInvalid());
  }
}
