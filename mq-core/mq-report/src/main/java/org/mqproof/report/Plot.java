package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines over two axes, as inline SVG with the names of the ticks in HTML around it. The drawing
 * stretches with its place on the page, strokes and text do not, so that one drawing serves a
 * phone, a desk and paper, without a script. Not thread-safe.
 */
final class Plot {

  private static final double SIZE = 1000; // of the view box, whatever the place on the page

  private final String title;
  private final Scale x;
  private final Scale y;
  private final List<Line> lines = new ArrayList<>();
  private final List<Spot> spots = new ArrayList<>();
  private final List<Band> bands = new ArrayList<>();
  private final List<Band> columns = new ArrayList<>();

  private record Line(String style, String title, String path) {}

  private record Spot(double x, double y, String title) {}

  private record Band(double from, double to, String style, String title) {}

  /** Starts an empty plot. */
  Plot(String title, Scale x, Scale y) {
    this.title = title;
    this.x = x;
    this.y = y;
  }

  /**
   * Adds a line.
   *
   * @param style classes of the style sheet
   * @param title what it is, shown when pointed at
   * @param points x and y; a y of NaN breaks the line
   */
  Plot line(String style, String title, List<double[]> points) {
    StringBuilder path = new StringBuilder();
    boolean down = false;
    for (int i = 0; i < points.size(); i++) {
      double[] point = points.get(i);
      if (Double.isNaN(point[1])) {
        down = false;
        continue;
      }
      path.append(down ? "L" : "M").append(place(point[0], point[1]));
      boolean last = i == points.size() - 1 || Double.isNaN(points.get(i + 1)[1]);
      if (last && !down) {
        path.append("h0"); // a point on its own is drawn as a dot, by the round ends of the line
      }
      down = true;
    }
    if (path.length() > 0) {
      lines.add(new Line(style, title, path.toString()));
    }
    return this;
  }

  /** Adds a text that is shown when a place is pointed at. */
  Plot spot(double atX, double atY, String title) {
    spots.add(new Spot(atX, atY, title));
    return this;
  }

  /** Adds a text that is shown when any place above a stretch of the x axis is pointed at. */
  Plot column(double from, double to, String title) {
    columns.add(new Band(from, to, "column", title));
    return this;
  }

  /** Marks a stretch of the x axis. */
  Plot band(double from, double to, String style, String title) {
    bands.add(new Band(from, to, style, title));
    return this;
  }

  void write(Html html) {
    html.open("div", "class", "plot");
    html.element("span", title, "class", "name", "aria-hidden", "true");
    for (Scale.Tick tick : y.ticks()) {
      html.element("span", tick.label(), "class", "ytick", "style", "bottom:" + percent(tick.at()));
    }
    for (Scale.Tick tick : x.ticks()) {
      html.element("span", tick.label(), "class", "xtick", "style", "left:" + percent(tick.at()));
    }
    html.open(
        "svg",
        "role",
        "img",
        "aria-label",
        title,
        "viewBox",
        "0 0 1000 1000",
        "preserveAspectRatio",
        "none");
    html.element("title", title);
    bands.forEach(band -> band(html, band));
    for (Scale.Tick tick : y.ticks()) {
      html.leaf("path", "class", "grid", "d", "M0 " + number(SIZE - SIZE * tick.at()) + "H1000");
    }
    for (Scale.Tick tick : x.ticks()) {
      html.leaf("path", "class", "grid", "d", "M" + number(SIZE * tick.at()) + " 0V1000");
    }
    for (Line line : lines) {
      html.open("path", "class", "line " + line.style, "d", line.path);
      html.element("title", line.title).close();
    }
    columns.forEach(column -> band(html, column));
    for (Spot spot : spots) {
      html.open("path", "class", "spot", "d", "M" + place(spot.x, spot.y) + "h0");
      html.element("title", spot.title).close();
    }
    html.close().closeLine();
  }

  private void band(Html html, Band band) {
    double left = Math.min(SIZE, across(band.from));
    double width = Math.min(SIZE, across(band.to)) - left;
    html.open(
        "rect",
        "class",
        band.style,
        "x",
        number(left),
        "y",
        "0",
        "width",
        number(width),
        "height",
        "1000");
    html.element("title", band.title).close();
  }

  private double across(double value) {
    return SIZE * x.position().applyAsDouble(value);
  }

  private String place(double atX, double atY) {
    return number(across(atX)) + " " + number(SIZE - SIZE * y.position().applyAsDouble(atY));
  }

  private static String number(double value) {
    return String.format(Locale.ENGLISH, "%.1f", value);
  }

  private static String percent(double share) {
    return String.format(Locale.ENGLISH, "%.2f%%", 100 * share);
  }
}
