package org.mqproof.sqs;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.mqproof.Message;

/** Headers of messages as SQS carries them: message attributes of type String. No state. */
final class Headers {

  /** What the service allows on a message. */
  static final int MOST = 10;

  /** The type of an attribute, whose bytes count as well. */
  static final String TYPE = "String";

  static final int LARGEST_BYTES = 64 << 10;

  private Headers() {}

  /** What the headers of a message take of the service's limit, beyond their own bytes. */
  static int overhead(int headers) {
    return headers * TYPE.length();
  }

  /** Names that the service keeps for itself. */
  static boolean isReserved(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.startsWith("aws.") || lower.startsWith("amazon.");
  }

  /**
   * Reads those attributes that are texts.
   *
   * @param attributes of a message, also of another program
   * @param type of an attribute
   * @param value of an attribute, called for texts only
   */
  static <A> Map<String, String> of(
      Map<String, A> attributes, Function<A, String> type, Function<A, String> value) {
    if (attributes.isEmpty()) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>();
    attributes.forEach(
        (name, attribute) -> {
          String kind = String.valueOf(type.apply(attribute));
          if (kind.equals(TYPE) || kind.startsWith(TYPE + ".")) {
            String text = String.valueOf(value.apply(attribute));
            if (Message.isValidHeader(name, text)) {
              headers.put(name, text);
            }
          }
        });
    return headers;
  }
}
