package org.millrace.cli.terminal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of bytes, with k, m, g or t for binary units, as in IOR. No state. */
public final class ByteCount implements ITypeConverter<Long> {

  private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([kmgt]?)(?:i?b)?");
  private static final String UNITS = "kmgt";

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a number of bytes: use digits with k, m, g or t");
    }
    long number = Long.parseLong(matcher.group(1));
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(matcher.group(2)) + 1);
    if (number > Long.MAX_VALUE >> shift) {
      throw new TypeConversionException("'" + text + "' is too large");
    }
    return number << shift;
  }
}
