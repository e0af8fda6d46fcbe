package org.millrace.sim.rot;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.client.FileNames;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * A look at every name and every byte of a cluster: each is right, or refused with an error that
 * says what is damaged. One that is neither ends the inspection. For one use, by one thread.
 */
final class Inspection {

  private static final Pattern RANGE = Pattern.compile("bytes (\\d+) to (\\d+)");

  private final Expected expected;
  private final boolean torn;
  private long bytes;
  private long reports;
  private String firstReport = "";
  private long named;
  private Optional<String> wrong = Optional.empty();

  /**
   * An inspection.
   *
   * @param torn whether the bytes of strands were mutated: those that an unacknowledged write had
   *     touched cannot be verified then, and are not compared
   */
  Inspection(Expected expected, boolean torn) {
    this.expected = expected;
    this.torn = torn;
  }

  /** What is neither right nor reported, if there is something. */
  Optional<String> wrong() {
    return wrong;
  }

  /** Bytes that were compared and are right. */
  long bytes() {
    return bytes;
  }

  /** Errors that said what is damaged. */
  long reports() {
    return reports;
  }

  /** What the first of them said. */
  String firstReport() {
    return firstReport;
  }

  /** Those of them that named a range of bytes of the file. */
  long named() {
    return named;
  }

  /** An error instead of an answer. */
  void report(IOException e) {
    if (e instanceof MillraceException typed
        && !(e instanceof NoSuchNameException)
        && typed.code() != ErrorCode.PROTOCOL) {
      firstReport = reports == 0 ? e.toString() : firstReport;
      reports++;
    } else {
      wrong = Optional.of("an error that reports no damage: " + e);
    }
  }

  void look(Rank rank) {
    Set<String> seen = new HashSet<>();
    list(rank.names(), "", seen);
    Set<String> all = new HashSet<>(expected.files().keySet());
    all.addAll(expected.directories());
    if (wrong.isEmpty() && !seen.equals(all)) {
      wrong = Optional.of("names are " + seen + ", not " + all);
    }
    for (Map.Entry<String, Expected.File> file : expected.files().entrySet()) {
      if (wrong.isPresent()) {
        return;
      }
      compare(rank, file.getKey(), file.getValue());
    }
  }

  private void list(FileNames names, String directory, Set<String> seen) {
    List<String> found;
    try {
      found = names.list(directory);
    } catch (IOException e) {
      report(e);
      return;
    }
    for (String name : found) {
      String plain = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
      String path = directory.isEmpty() ? plain : directory + "/" + plain;
      seen.add(path);
      if (name.endsWith("/")) {
        list(names, path, seen);
      } else {
        checkMode(names, path);
      }
    }
  }

  private void checkMode(FileNames names, String path) {
    Integer bits = expected.modes().get(path);
    try {
      int found = names.stat(path).permissions();
      if (bits != null && found != bits) {
        wrong = Optional.of("mode bits of %s are %o, not %o".formatted(path, found, bits));
      }
    } catch (IOException e) {
      report(e);
    }
  }

  private void compare(Rank rank, String path, Expected.File right) {
    try (SharedFile file = rank.alone().open(path, OpenOptions.read())) {
      long size = right.durable.length;
      try {
        size = file.size();
        if (!right.isLength(size)) {
          wrong = Optional.of(path + " has " + size + " bytes, not " + right.durable.length);
          return;
        }
      } catch (IOException e) {
        report(e);
      }
      if (!read(file, path, right, 0, (int) size)) {
        for (int at = 0; at < size; at += History.BLOCK) {
          read(file, path, right, at, (int) Math.min(History.BLOCK, size - at));
        }
      }
    } catch (IOException e) {
      report(e);
    }
  }

  /** False if it was refused. */
  private boolean read(SharedFile file, String path, Expected.File right, int from, int length) {
    byte[] found = new byte[length];
    try {
      long got = file.at(from).read(Memory.of(found));
      if (got != length) {
        wrong = Optional.of(path + ": " + got + " bytes from " + from + " on, not " + length);
        return true;
      }
    } catch (CorruptBlockException e) {
      report(e);
      checkRange(e, path, from, length);
      return false;
    } catch (IOException e) {
      report(e);
      return false;
    }
    for (int i = 0; i < length; i++) {
      boolean unknown = torn && right.touched.get(from + i);
      if (!unknown && !right.isRight(from + i, found[i])) {
        wrong = Optional.of("%s: byte %s is %s".formatted(path, from + i, found[i]));
        return true;
      }
    }
    bytes += length;
    return true;
  }

  /** The error names the file and bytes of it among those that were asked for. */
  private void checkRange(CorruptBlockException e, String path, int from, int length) {
    String message = String.valueOf(e.getMessage());
    Matcher range = RANGE.matcher(message);
    boolean whole = message.contains("and all others of strand"); // of which those are the first
    if (message.contains(path)
        && range.find()
        && (whole
            || (Long.parseLong(range.group(1)) < (long) from + length
                && Long.parseLong(range.group(2)) > from))) {
      named++;
    } else if (wrong.isEmpty()) {
      wrong = Optional.of("the error does not name the bytes of " + path + ": " + e.getMessage());
    }
  }
}
