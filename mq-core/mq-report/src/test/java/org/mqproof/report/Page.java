package org.mqproof.report;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** A report, or a part of one, parsed. For one thread. */
record Page(Element root) {

  static Page of(Results results) throws IOException {
    try {
      return new Page(
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(HtmlReport.render(results))))
              .getDocumentElement());
    } catch (SAXException | ParserConfigurationException e) {
      throw new AssertionError("the page is not well-formed", e);
    }
  }

  static Predicate<Element> tag(String name) {
    return element -> element.getTagName().equals(name);
  }

  /** All elements below the root that fit, in document order. */
  List<Element> elements(Predicate<Element> which) {
    NodeList all = root.getElementsByTagName("*");
    List<Element> found = new ArrayList<>();
    for (int i = 0; i < all.getLength(); i++) {
      Element element = (Element) all.item(i);
      if (which.test(element)) {
        found.add(element);
      }
    }
    return found;
  }

  Page section(String id) {
    return new Page(elements(e -> e.getAttribute("id").equals(id)).get(0));
  }

  List<String> text(Predicate<Element> which) {
    return elements(which).stream().map(Element::getTextContent).toList();
  }

  String whole() {
    return root.getTextContent();
  }
}
