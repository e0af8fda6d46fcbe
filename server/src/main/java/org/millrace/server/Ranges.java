package org.millrace.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ranges that a read asks for, as RFC 9110 has them, section 14: within the file, in the order
 * of the request. Immutable.
 *
 * @param parts none if none lies within the file
 */
record Ranges(List<Part> parts) {

  private static final Pattern FORM =
      Pattern.compile("\\s*bytes\\s*=(.*)", Pattern.CASE_INSENSITIVE);
  private static final Pattern PART = Pattern.compile("[ \\t]*(\\d*)-(\\d*)[ \\t]*");
  private static final int LONGEST = 18;

  /**
   * Bytes of a file.
   *
   * @param first the first of them
   * @param length how many, at least 1
   */
  record Part(long first, long length) {

    /** As a Content-Range has it. */
    String of(long size) {
      return "bytes %s-%s/%s".formatted(first, first + length - 1, size);
    }
  }

  Ranges {
    parts = List.copyOf(parts);
  }

  /**
   * Reads a header.
   *
   * @return empty if it is malformed or of another unit: it is ignored then
   */
  static Optional<Ranges> parse(String header, long size) {
    Matcher form = FORM.matcher(header);
    if (!form.matches()) {
      return Optional.empty();
    }
    List<Part> parts = new ArrayList<>();
    int given = 0;
    for (String text : form.group(1).split(",", -1)) {
      if (text.isBlank()) {
        continue; // a list may have empty members
      }
      Matcher part = PART.matcher(text);
      if (!part.matches() || part.group(1).isEmpty() && part.group(2).isEmpty()) {
        return Optional.empty();
      }
      given++;
      if (!part.group(1).isEmpty()
          && !part.group(2).isEmpty()
          && number(part.group(2)) < number(part.group(1))) {
        return Optional.empty();
      }
      within(part.group(1), part.group(2), size).ifPresent(parts::add);
    }
    return given == 0 ? Optional.empty() : Optional.of(new Ranges(parts));
  }

  private static Optional<Part> within(String first, String last, long size) {
    if (first.isEmpty()) {
      long count = Math.min(number(last), size);
      return count == 0 ? Optional.empty() : Optional.of(new Part(size - count, count));
    }
    long from = number(first);
    if (from >= size) {
      return Optional.empty();
    }
    long to = last.isEmpty() ? size - 1 : Math.min(number(last), size - 1);
    return Optional.of(new Part(from, to - from + 1));
  }

  /** A number of any length: beyond all files if it has too many digits. */
  private static long number(String digits) {
    String plain = digits.replaceFirst("^0+(?=\\d)", "");
    return plain.length() > LONGEST ? Long.MAX_VALUE : Long.parseLong(plain);
  }

  /** All bytes together; more than a file has if ranges overlap. */
  long bytes() {
    long sum = 0;
    for (Part part : parts) {
      sum = sum + part.length() < 0 ? Long.MAX_VALUE : sum + part.length();
    }
    return sum;
  }
}
