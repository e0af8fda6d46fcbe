package org.millrace.cli.conformance;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A test as a page names it.
 *
 * @param type simple name of the class in whose file it stands
 * @param method its name
 */
record TestName(String type, String method) {

  private static final Pattern NAME = Pattern.compile("([A-Z]\\w*)\\.([a-z]\\w*)");

  /** The test that a text names, if it has the shape of a name. */
  static Optional<TestName> parse(String text) {
    Matcher name = NAME.matcher(text);
    return name.matches()
        ? Optional.of(new TestName(name.group(1), name.group(2)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return type + "." + method;
  }
}
