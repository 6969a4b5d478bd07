package com.example.orders;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.example.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;

class OrderServiceTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final BlockingQueue<Message> handled = new LinkedBlockingQueue<>();

  @Test
  void aServiceTakesOrdersHandlesThemAndLeavesNothing() throws Exception {
    OrderService service =
        new OrderService("memory", Map.of("broker", "plain"), registry, handled::add);
    service.order("tea".getBytes(UTF_8));
    assertThat(Await.next(handled).body()).asString(UTF_8).isEqualTo("tea");
    assertThat(service.isReady()).isTrue();
    service.close();

    assertThat(registry.getMeters()).isEmpty();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("orders") && thread.isAlive());
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(service::isReady);
  }
}
