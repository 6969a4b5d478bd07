package org.mqproof.eventstore;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to EventStoreDB 22.10 or newer, which is called KurrentDB from version 25 on. A queue is
 * the stream of the same name, and its receivers are the competing consumers of one persistent
 * subscription, the group {@code group} of that stream, which {@code createQueue} creates with the
 * settings given here.
 *
 * <p><em>What the settings cannot change.</em> The server keeps the place of a group as a
 * checkpoint that it writes now and then ({@code checkpoint.*}). After a crash or a change of its
 * leader it goes on from there: messages that were acked since come again. They are duplicates, and
 * none is lost. A group parks a message, which takes it out of the queue, after so many deliveries;
 * the groups created here allow 2,147,483,647, and a receiver refuses a group that allows fewer.
 *
 * <p><em>Credentials</em> are in no setting but {@code connection.string}, which is a secret:
 * {@code credentials} only says where to read them.
 *
 * <p><em>The 2017 study</em> ran version 4.0.1 with {@code read.batch.size=1000}, {@code
 * history.buffer.size=1000}, {@code checkpoint.max.count=1000} and {@code prefetch=1000}, and one
 * connection for all threads of a client node, as one {@code Mq} has here. Today's servers demand a
 * history buffer larger than a read, so {@code history.buffer.size=2000}, the default, is the
 * nearest.
 *
 * <p>Thread-safe.
 */
public final class EventStoreMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public EventStoreMqProvider() {}

  @Override
  public String name() {
    return "eventstore";
  }

  @Override
  public List<Setting<?>> settings() {
    return EventStoreSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return EventStoreMq.connect(new EventStoreSettings(Settings.of(this, settings)));
  }
}
