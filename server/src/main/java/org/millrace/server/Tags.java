package org.millrace.server;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.millrace.files.FileStatus;

/** What clients recognize a state of a file by: entity tags and dates. Stateless. */
final class Tags {

  private static final long SECOND = 1_000_000_000L;
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private Tags() {}

  /**
   * The entity tag: another one after every change. A file that replaces another has another id;
   * nodes' times of writes, of which {@code changed} is the last, only grow.
   */
  static String of(FileStatus status) {
    return "\"%x-%x-%x\"".formatted(status.id(), status.times().changed(), status.size());
  }

  /** When it was modified last, as a header has it. */
  static String date(FileStatus status) {
    return DATE.format(Instant.ofEpochSecond(seconds(status)));
  }

  /** The same as seconds since 1970. */
  static long seconds(FileStatus status) {
    return Math.floorDiv(status.times().modified(), SECOND);
  }

  /** A date of a header as seconds since 1970; empty if it is none: it is ignored then. */
  static Optional<Long> seconds(String header) {
    try {
      return Optional.of(
          ZonedDateTime.parse(header.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
              .toEpochSecond());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
