package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;

class OutboxTest {

  private static final int FRAME_MAX = 4_096;

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private int writes;

  private final Outbox outbox =
      new Outbox(
          new OutputStream() {
            @Override
            public void write(int b) {
              throw new AssertionError("a byte at a time");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
              writes++;
              written.write(bytes, offset, length);
            }
          },
          () -> {
            throw new AssertionError("broken");
          },
          Duration.ofSeconds(10));

  private List<Frame> frames() throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(written.toByteArray()));
    List<Frame> frames = new ArrayList<>();
    while (in.available() > 0) {
      frames.add(Frame.readFrom(in, () -> 1 << 20));
    }
    return frames;
  }

  private static Frame methodFrame(com.rabbitmq.client.impl.Method method, int channel)
      throws IOException {
    return method.toFrame(channel);
  }

  @Test
  void aMessageIsWhatTheClientItselfWouldSend() throws Exception {
    byte[] body = {1, 2, 3};
    outbox.publish(new Publication(7, "some.queue", FRAME_MAX), new Message(body));
    outbox.flush();
    List<Frame> frames = frames();
    assertThat(frames).hasSize(3).allSatisfy(f -> assertThat(f.getChannel()).isEqualTo(7));
    Frame method = methodFrame(new AMQImpl.Basic.Publish(0, "", "some.queue", true, false), 7);
    assertThat(frames.get(0).getType()).isEqualTo(AMQP.FRAME_METHOD);
    assertThat(frames.get(0).getPayload()).isEqualTo(method.getPayload());
    Frame header =
        new AMQP.BasicProperties.Builder().deliveryMode(2).build().toFrame(7, body.length);
    assertThat(frames.get(1).getType()).isEqualTo(AMQP.FRAME_HEADER);
    assertThat(frames.get(1).getPayload()).isEqualTo(header.getPayload());
    assertThat(frames.get(2).getType()).isEqualTo(AMQP.FRAME_BODY);
    assertThat(frames.get(2).getPayload()).isEqualTo(body);
  }

  @Test
  void headersAreWhatTheClientItselfWouldSend() throws Exception {
    Map<String, String> headers = Map.of("traceparent", "00-ab-01");
    byte[] body = {1, 2};
    Publication publication = new Publication(7, "q", FRAME_MAX);
    outbox.publish(publication, new Message(body, headers));
    outbox.publish(publication, new Message(body));
    outbox.flush();
    List<Frame> frames = frames();
    AMQP.BasicProperties.Builder properties = new AMQP.BasicProperties.Builder().deliveryMode(2);
    assertThat(frames.get(4).getPayload())
        .as("without headers")
        .isEqualTo(properties.build().toFrame(7, body.length).getPayload());
    properties.headers(Map.of("traceparent", LongStringHelper.asLongString("00-ab-01")));
    assertThat(frames.get(1).getPayload())
        .isEqualTo(properties.build().toFrame(7, body.length).getPayload());
    assertThat(frames.get(2).getPayload()).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(ints = {FRAME_MAX, 131_072, 1 << 20})
  void theMostAndTheLargestHeadersFitInOneFrame(int frameMax) throws Exception {
    int most = Headers.most(frameMax);
    int valueBytes = Headers.largestBytes(frameMax) / most - 4;
    Map<String, String> headers = new HashMap<>();
    for (int i = 0; i < most; i++) {
      headers.put("%04d".formatted(i), "x".repeat(valueBytes));
    }
    outbox.publish(new Publication(1, "q", frameMax), new Message(new byte[0], headers));
    outbox.flush();
    assertThat(most).isGreaterThan(300);
    assertThat(frames().get(1).getPayload()).hasSizeBetween(frameMax / 32, frameMax - 8);
  }

  @Test
  void anEmptyBodyHasNoFrame() throws Exception {
    outbox.publish(new Publication(1, "q", FRAME_MAX), new Message(new byte[0]));
    outbox.flush();
    assertThat(frames()).hasSize(2);
  }

  @Test
  void aLargeBodyIsSplitAsTheBrokerAsks() throws Exception {
    byte[] body = new byte[300_000];
    new Random(1).nextBytes(body);
    outbox.publish(new Publication(1, "q", FRAME_MAX), new Message(body));
    outbox.flush();
    List<Frame> frames = frames();
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (Frame frame : frames.subList(2, frames.size())) {
      assertThat(frame.getPayload()).hasSizeLessThanOrEqualTo(FRAME_MAX - 8);
      joined.write(frame.getPayload());
    }
    assertThat(Arrays.equals(joined.toByteArray(), body)).isTrue();
  }

  @Test
  void anAckIsWhatTheClientItselfWouldSend() throws Exception {
    outbox.ack(3, 0x0102030405060708L, true);
    outbox.ack(3, 9, false);
    outbox.flush();
    List<Frame> frames = frames();
    assertThat(frames).hasSize(2);
    assertThat(frames.get(0).getPayload())
        .isEqualTo(methodFrame(new AMQImpl.Basic.Ack(0x0102030405060708L, true), 3).getPayload());
    assertThat(frames.get(1).getPayload())
        .isEqualTo(methodFrame(new AMQImpl.Basic.Ack(9, false), 3).getPayload());
  }

  @Test
  void aBatchAndTheClientsOwnFramesTakeOneWrite() throws Exception {
    Publication publication = new Publication(1, "q", FRAME_MAX);
    for (int i = 0; i < 100; i++) {
      outbox.publish(publication, new Message(new byte[100]));
    }
    outbox.add(methodFrame(new AMQImpl.Tx.Commit(), 1));
    assertThat(writes).isZero();
    outbox.flush();
    outbox.flush();
    assertThat(writes).isEqualTo(1);
    assertThat(frames()).hasSize(301);
  }

  @Test
  void aFullBufferIsWrittenBeforeTheBatchEnds() throws Exception {
    Publication publication = new Publication(1, "q", FRAME_MAX);
    for (int i = 0; i < 1_000; i++) {
      outbox.publish(publication, new Message(new byte[1_000]));
    }
    assertThat(writes).isBetween(10, 20);
    outbox.flush();
    assertThat(frames()).hasSize(3_000);
  }

  @Test
  void aFailedWriteBreaksTheConnectionForAll() {
    AtomicBoolean broken = new AtomicBoolean();
    Outbox failing =
        new Outbox(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("reset");
              }
            },
            () -> broken.set(true),
            Duration.ofSeconds(10));
    failing.ack(1, 1, false);
    assertThatIOException().isThrownBy(failing::flush).withMessage("reset");
    assertThat(broken).isTrue();
    failing.ack(1, 2, false);
    assertThatIOException().isThrownBy(failing::flush).withMessageContaining("broken");
  }

  @Test
  void aSocketThatTakesNothingIsBrokenByWhoWaits() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Outbox stuck =
        new Outbox(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                writing.countDown();
                try {
                  closed.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                throw new IOException("socket closed");
              }
            },
            closed::countDown,
            Duration.ofMillis(50));
    stuck.ack(1, 1, false);
    List<Throwable> failures = new ArrayList<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                stuck.flush();
              } catch (IOException e) {
                failures.add(e);
              }
            });
    writer.start();
    writing.await();
    stuck.ack(1, 2, false);
    assertThatIOException()
        .isThrownBy(stuck::flush)
        .withMessage("the socket took nothing for 50 ms");
    writer.join();
    assertThat(failures).singleElement().hasToString("java.io.IOException: socket closed");
  }

  /** Each thread's own frames stay in order and whole, whoever writes them. */
  @Test
  void manyThreadsShareTheSocket() throws Exception {
    int threads = 4;
    int each = 2_000;
    List<Thread> senders = new ArrayList<>();
    for (int t = 1; t <= threads; t++) {
      int channel = t;
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 1; i <= each; i++) {
                    outbox.ack(channel, i, false);
                    outbox.flush();
                  }
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      senders.add(sender);
      sender.start();
    }
    for (Thread sender : senders) {
      sender.join();
    }
    long[] last = new long[threads + 1];
    List<Frame> frames = frames();
    assertThat(frames).hasSize(threads * each);
    for (Frame frame : frames) {
      DataInputStream payload =
          new DataInputStream(new ByteArrayInputStream(frame.getPayload(), 4, 8));
      assertThat(payload.readLong()).isEqualTo(++last[frame.getChannel()]);
    }
  }
}
