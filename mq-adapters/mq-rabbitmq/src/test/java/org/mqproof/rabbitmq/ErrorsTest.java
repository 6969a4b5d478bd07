package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.MissedHeartbeatException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ErrorsTest {

  @Test
  void theBrokersOwnTextIsShown() {
    AMQP.Channel.Close close =
        new AMQP.Channel.Close.Builder().replyCode(404).replyText("NOT_FOUND - no queue").build();
    IOException wrapped = new IOException(new ShutdownSignalException(false, false, close, "c"));
    assertThat(Errors.reason(wrapped)).isEqualTo("NOT_FOUND - no queue");
  }

  @Test
  void aLostConnectionSaysWhy() {
    ShutdownSignalException silent = new ShutdownSignalException(true, false, null, "c");
    silent.initCause(new MissedHeartbeatException("Heartbeat missing"));
    assertThat(Errors.reason(silent)).isEqualTo("Heartbeat missing");
    ShutdownSignalException ended = new ShutdownSignalException(true, false, null, "c");
    ended.initCause(new EOFException());
    assertThat(Errors.reason(new IOException(ended))).isEqualTo("EOFException");
  }

  @Test
  void whatSaysNothingIsNamed() {
    assertThat(Errors.reason(new IOException((String) null))).isEqualTo("IOException");
  }
}
