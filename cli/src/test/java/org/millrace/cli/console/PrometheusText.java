package org.millrace.cli.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of Prometheus's text format 0.0.4, written from its grammar and not from our
 * writer: it refuses what a server of Prometheus would, and numbers before their type. Immutable.
 */
record PrometheusText(Map<String, String> types, List<Sample> samples) {

  /** A number with its name and labels. */
  record Sample(String name, Map<String, String> labels, double value) {}

  private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
  private static final Pattern HELP = Pattern.compile("# HELP (" + NAME + ") (.*)");
  private static final Pattern TYPE =
      Pattern.compile("# TYPE (" + NAME + ") (counter|gauge|histogram)");
  private static final Pattern LINE =
      Pattern.compile("(" + NAME + ")(?:\\{(.*)\\})? ([-+0-9.eE]+|[-+]Inf|NaN)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\\"n])*)\"(,|$)");

  static PrometheusText parse(String text) {
    if (!text.endsWith("\n")) {
      throw new IllegalArgumentException("the last line does not end");
    }
    Map<String, String> types = new LinkedHashMap<>();
    List<Sample> samples = new ArrayList<>();
    for (String line : text.lines().toList()) {
      Matcher type = TYPE.matcher(line);
      Matcher sample = LINE.matcher(line);
      if (type.matches()) {
        if (types.put(type.group(1), type.group(2)) != null) {
          throw new IllegalArgumentException("two families: " + line);
        }
      } else if (sample.matches()) {
        samples.add(sample(types, sample));
      } else if (!HELP.matcher(line).matches()) {
        throw new IllegalArgumentException("not a line of the format: " + line);
      }
    }
    return new PrometheusText(types, samples);
  }

  private static Sample sample(Map<String, String> types, Matcher line) {
    String name = line.group(1);
    String family = name.replaceFirst("_(bucket|sum|count)$", "");
    boolean known = types.containsKey(name) || "histogram".equals(types.get(family));
    if (!known) {
      throw new IllegalArgumentException("a number before its type: " + line.group());
    }
    Map<String, String> labels = new TreeMap<>();
    String rest = line.group(2) == null ? "" : line.group(2);
    while (!rest.isEmpty()) {
      Matcher label = LABEL.matcher(rest);
      if (!label.lookingAt() || labels.put(label.group(1), label.group(2)) != null) {
        throw new IllegalArgumentException("wrong labels: " + line.group());
      }
      rest = rest.substring(label.end());
    }
    String value = line.group(3).replace("Inf", "Infinity");
    return new Sample(name, labels, Double.parseDouble(value));
  }

  /** The numbers of a name whose labels have these values. */
  List<Sample> of(String name, String... labels) {
    List<Sample> found = new ArrayList<>();
    for (Sample one : samples) {
      boolean fits = one.name.equals(name);
      for (int i = 0; i < labels.length; i += 2) {
        fits &= labels[i + 1].equals(one.labels.get(labels[i]));
      }
      if (fits) {
        found.add(one);
      }
    }
    return found;
  }

  /** The only number of a name with these labels. */
  double value(String name, String... labels) {
    List<Sample> found = of(name, labels);
    if (found.size() != 1) {
      throw new IllegalArgumentException(name + " is there " + found.size() + " times");
    }
    return found.getFirst().value;
  }
}
