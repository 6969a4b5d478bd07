package org.mqproof.cluster.process;

/** XML as a parser sees it. Thread-safe: no state. */
public final class XmlText {

  private XmlText() {}

  /** Without comments, and with one space or none where there were several. */
  public static String strip(String xml) {
    return xml.replaceAll("(?s)<!--.*?-->", "").replaceAll("\\s+", " ").replace("> <", "><");
  }
}
