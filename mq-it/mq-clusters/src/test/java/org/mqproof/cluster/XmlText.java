package org.mqproof.cluster;

/** XML as a parser sees it. Thread-safe: no state. */
final class XmlText {

  private XmlText() {}

  /** Without comments, and with one space or none where there were several. */
  static String strip(String xml) {
    return xml.replaceAll("(?s)<!--.*?-->", "").replaceAll("\\s+", " ").replace("> <", "><");
  }
}
