package org.millrace.error;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stored bytes are not what was written. The message names the bytes, and so carries them across
 * every wire: those of the strand, as the node says, and those of the file, once a client has seen
 * it.
 */
public final class CorruptBlockException extends MillraceException {

  private static final long serialVersionUID = 1;

  private static final Pattern PLACE =
      Pattern.compile("\\[strand (\\d{1,9}): (?:(\\d{1,18}) to (\\d{1,18})|all of it)\\]");

  /** An error with the given explanation. */
  public CorruptBlockException(String message) {
    super(ErrorCode.CORRUPT, message);
  }

  /**
   * Bytes of a strand.
   *
   * @param strand its number in the file
   * @param from the first that may be damaged
   * @param to one past the last
   */
  public record Place(int strand, long from, long to) {

    /** Whether the strand as a whole cannot be used. */
    public boolean isWhole() {
      return to == Long.MAX_VALUE;
    }
  }

  /** An error about bytes {@code [from, to)} of a strand. */
  public static CorruptBlockException in(int strand, long from, long to, String message) {
    return new CorruptBlockException(
        "%s [strand %s: %s to %s]".formatted(message, strand, from, to));
  }

  /** An error that makes a strand unusable. */
  public static CorruptBlockException inAll(int strand, String message) {
    return new CorruptBlockException("%s [strand %s: all of it]".formatted(message, strand));
  }

  /** Which bytes of which strand the message names, if it names any. */
  public static Optional<Place> place(String message) {
    Matcher found = PLACE.matcher(message);
    if (!found.find()) {
      return Optional.empty();
    }
    boolean whole = found.group(2) == null;
    return Optional.of(
        new Place(
            Integer.parseInt(found.group(1)),
            whole ? 0 : Long.parseLong(found.group(2)),
            whole ? Long.MAX_VALUE : Long.parseLong(found.group(3))));
  }
}
