package org.millrace.client;

import org.millrace.error.CorruptBlockException;
import org.millrace.error.CorruptBlockException.Place;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;

/** Says which bytes of a file are damaged or away, where an error says which bytes of a strand. */
final class DamagedBytes {

  /** More ranges are counted, not listed: a large block over many small units. */
  private static final int MAX_RANGES = 4;

  private DamagedBytes() {}

  /** The message of {@code e}; where it is about bytes of a strand, those of the file go first. */
  static String named(Layout layout, MillraceException e) {
    String message = String.valueOf(e.getMessage());
    if (e.code() != ErrorCode.CORRUPT && e.code() != ErrorCode.NODE) {
      return message;
    }
    String what = e.code() == ErrorCode.CORRUPT ? "damaged" : "missing";
    return CorruptBlockException.place(message)
        .filter(place -> place.strand() < layout.strands())
        .map(place -> ranges(layout, place) + " of the file are " + what + ": " + message)
        .orElse(message);
  }

  private static String ranges(Layout layout, Place place) {
    long unit = layout.strands() == 1 ? Long.MAX_VALUE : layout.stripeUnitBytes();
    StringBuilder text = new StringBuilder("bytes ");
    long at = place.from();
    int ranges = place.isWhole() ? 1 : MAX_RANGES;
    for (int i = 0; i < ranges && at < place.to(); i++) {
      long next =
          Math.min(
              place.to(),
              unit - at % unit > Long.MAX_VALUE - at ? Long.MAX_VALUE : at + (unit - at % unit));
      long from = layout.fileOffset(place.strand(), at);
      text.append(i == 0 ? "" : ", ").append(from).append(" to ").append(from + (next - at));
      at = next;
    }
    if (at < place.to()) {
      text.append(" and all others of strand ").append(place.strand());
      text.append(
          place.isWhole() ? "" : " up to " + layout.fileOffset(place.strand(), place.to() - 1));
    }
    return text.toString();
  }
}
