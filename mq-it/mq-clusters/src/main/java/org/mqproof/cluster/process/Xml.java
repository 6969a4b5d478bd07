package org.mqproof.cluster.process;

import java.nio.file.Path;

/** Text for XML files. Thread-safe: no state. */
public final class Xml {

  private Xml() {}

  /**
   * A path as an attribute's value or an element's text.
   *
   * @param path any
   * @return text without markup
   */
  public static String escape(Path path) {
    return path.toString().replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
