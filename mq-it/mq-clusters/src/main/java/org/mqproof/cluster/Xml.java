package org.mqproof.cluster;

import java.nio.file.Path;

/** Text for XML files. Thread-safe: no state. */
final class Xml {

  private Xml() {}

  /** A path as an attribute's value or an element's text. */
  static String escape(Path path) {
    return path.toString().replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
