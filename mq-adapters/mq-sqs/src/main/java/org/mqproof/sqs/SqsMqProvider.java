package org.mqproof.sqs;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to Amazon SQS, or to a server that speaks its protocol. A queue is a standard queue, not
 * a FIFO one, of the same name; where SQS does not allow that name (more than 80 characters, or a
 * dot) it is {@code mqproof-sha256-} and the hash of the name.
 *
 * <p>A body is sent as Base64 text, because SQS takes only text: three quarters of the service's
 * limit is the largest body, and receivers that are not MqProof must decode it.
 *
 * <p>Credentials come from the SDK's own provider chain and from nowhere else; none is ever written
 * to an error or a log.
 *
 * <p>SQS deletes a message that is older than its queue's retention period, acked or not: 14 days,
 * the longest there is, in queues created here. A queue that was deleted can be created again only
 * after 60 seconds. Both are the service's rules, and no setting lifts them.
 *
 * <p>Every request is attempted once. A second attempt at a send whose answer was lost would store
 * its messages twice, and would hide what became of the first.
 *
 * <p>Thread-safe.
 */
public final class SqsMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public SqsMqProvider() {}

  @Override
  public String name() {
    return "sqs";
  }

  @Override
  public List<Setting<?>> settings() {
    return SqsSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return SqsMq.connect(new SqsSettings(Settings.of(this, settings)));
  }
}
