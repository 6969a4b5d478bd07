package org.mqproof.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mqproof.MqException;
import org.mqproof.Sender;

class SqsMqTest {

  private final FakeTransport service = new FakeTransport();
  private final SqsMq mq =
      new SqsMq(
          SqsSettingsTest.settings(Map.of("connections", "3", "check.queue", "false")), service);

  /** As clients report it: their own exception around that of the socket. */
  private void failNext(int requests, IOException failure) {
    for (int i = 0; i < requests; i++) {
      service.urls.add(
          CompletableFuture.failedFuture(
              RequestFailed.of(new IllegalStateException("no HTTP request", failure))));
    }
  }

  @Test
  void allConnectionsMayHaveBrokenWhileNobodyUsedThem() {
    failNext(3, new SocketException("Software caused connection abort"));

    try (Sender sender = mq.sender("q")) {
      assertThat(sender).isNotNull();
    }
  }

  @Test
  void aServiceThatEndsEveryConnectionIsAnErrorInTheEnd() {
    failNext(5, new SocketException("Connection reset"));

    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> mq.sender("q"))
        .withMessageEndingWith("finding queue q failed: Connection reset");
    assertThat(service.urls).hasSize(1);
  }

  @Test
  void whereNobodyListensOrAnswersItIsTriedOnce() {
    failNext(1, new ConnectException("Connection refused"));
    failNext(1, new SocketTimeoutException("Read timed out"));

    assertThatExceptionOfType(MqException.class).isThrownBy(() -> mq.sender("q"));
    assertThatExceptionOfType(MqException.class).isThrownBy(() -> mq.sender("q"));
    assertThat(service.urls).isEmpty();
  }

  @Test
  void anInterruptedThreadClosesTheClientWhenWhatWasHeldIsGivenBack() throws Exception {
    service.answersClaims = false;
    service.toReceive.add(
        CompletableFuture.completedFuture(
            List.of(
                new Transport.Taken(
                    "id", "handle", BodyText.BASE64.of(new byte[1]), Map.of(), 1))));
    assertThat(mq.receiver("q").receive(10, Duration.ZERO)).hasSize(1);
    Thread closer =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              mq.close();
            });
    closer.start();
    while (closer.isAlive() && closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }

    assertThat(service.closed).isFalse();
    service.releases.element().answerAll();
    closer.join();
    assertThat(service.closed).isTrue();
  }
}
