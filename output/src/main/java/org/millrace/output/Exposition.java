package org.millrace.output;

import java.util.Locale;

/**
 * Numbers in the text format of Prometheus, version 0.0.4: families in the order in which they are
 * begun, each with its help and type. Words are escaped here. Used by one thread.
 */
public final class Exposition {

  private final StringBuilder text = new StringBuilder();
  private String family = "";

  /** Begins a family of numbers that only grow, until their source is started anew. */
  public Exposition counter(String name, String help) {
    return begin(name, "counter", help);
  }

  /** Begins a family of numbers that go up and down. */
  public Exposition gauge(String name, String help) {
    return begin(name, "gauge", help);
  }

  /** Begins a family of distributions, of which {@link #part} gives the parts. */
  public Exposition histogram(String name, String help) {
    return begin(name, "histogram", help);
  }

  private Exposition begin(String name, String type, String help) {
    if (!name.matches("[a-zA-Z_:][a-zA-Z0-9_:]*")) {
      throw new IllegalArgumentException("'" + name + "' is not a name of a metric");
    }
    family = name;
    String words = help.replace("\\", "\\\\").replace("\n", "\\n");
    text.append("# HELP %s %s\n# TYPE %s %s\n".formatted(name, words, name, type));
    return this;
  }

  /** Adds a number of the family, with labels as names and values in turn. */
  public Exposition value(double value, Object... labels) {
    return part("", value, labels);
  }

  /**
   * Adds a part of a distribution: its suffix is {@code _bucket}, {@code _sum} or {@code _count}.
   */
  public Exposition part(String suffix, double value, Object... labels) {
    if (family.isEmpty()) {
      throw new IllegalStateException("a number before the first family");
    }
    text.append(family).append(suffix);
    for (int i = 0; i < labels.length; i += 2) {
      text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      text.append(escaped(String.valueOf(labels[i + 1]))).append('"');
    }
    text.append(labels.length > 0 ? "} " : " ").append(shown(value)).append('\n');
    return this;
  }

  private static String escaped(String label) {
    return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  /** A number as Prometheus reads it; whole numbers without a point. */
  public static String shown(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.format(Locale.ROOT, "%.0f", value)
        : Double.toString(value);
  }

  /** All of it. */
  public String text() {
    return text.toString();
  }
}
