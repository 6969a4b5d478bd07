package org.mqproof.report;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes HTML in which text can never become markup: everything but tag and attribute names is
 * escaped here, and there is no way around it except {@link #style} for the report's own CSS. Not
 * thread-safe.
 */
final class Html {

  private final StringBuilder out = new StringBuilder("<!DOCTYPE html>\n");
  private final Deque<String> open = new ArrayDeque<>();

  /**
   * Starts an element.
   *
   * @param attributes name, value, name, value ...
   */
  Html open(String tag, String... attributes) {
    tag(tag, attributes).append('>');
    open.push(tag);
    return this;
  }

  /** Ends the element that was started last. */
  Html close() {
    out.append("</").append(open.pop()).append('>');
    return this;
  }

  /** Ends the element that was started last, and its line: blocks only, where space is harmless. */
  Html closeLine() {
    close();
    out.append('\n');
    return this;
  }

  Html text(String text) {
    escape(text);
    return this;
  }

  /** An element with nothing but text in it. */
  Html element(String tag, String text, String... attributes) {
    return open(tag, attributes).text(text).close();
  }

  /** An element without content: void in HTML, or any in SVG. */
  Html leaf(String tag, String... attributes) {
    tag(tag, attributes).append("/>");
    return this;
  }

  /** The report's own style sheet, which must not come from a user. */
  Html style(String css) {
    out.append("<style>\n").append(css).append("</style>\n");
    return this;
  }

  /** The whole document. */
  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("not closed: " + open);
    }
    return out.append('\n').toString();
  }

  private StringBuilder tag(String tag, String... attributes) {
    if (attributes.length % 2 != 0) {
      throw new IllegalArgumentException("attributes come in pairs of name and value");
    }
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      escape(attributes[i + 1]);
      out.append('"');
    }
    return out;
  }

  private void escape(String text) {
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(isText(c) ? c : 0xFFFD);
              }
            });
  }

  /** Control characters and halves of a surrogate pair have no place in a document. */
  private static boolean isText(int c) {
    boolean space = c == '\n' || c == '\t';
    return space
        || !(Character.isISOControl(c)
            || Character.getType(c) == Character.SURROGATE
            || turnsText(c));
  }

  /** Marks that make the text around them run the other way, and so read as something else. */
  private static boolean turnsText(int c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  }
}
