package org.mqproof.jms;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;

/** Headers among the properties of a message that was received. No state. */
public final class JmsHeaders {

  private JmsHeaders() {}

  /**
   * A message with those properties that can be headers: text, and valid. The others have no text
   * that every client would agree on.
   *
   * @param body of the message
   * @param names of its properties, without those that are reserved
   * @param value the value of a property, or null
   * @return the message
   */
  public static Message message(
      byte[] body, Collection<String> names, Function<String, @Nullable Object> value) {
    if (names.isEmpty()) {
      return new Message(body);
    }
    Map<String, String> headers = new HashMap<>();
    for (String name : names) {
      if (value.apply(name) instanceof String text && Message.isValidHeader(name, text)) {
        headers.put(name, text);
      }
    }
    return new Message(body, headers);
  }
}
