package org.millrace.server;

import com.sun.net.httpserver.Headers;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.files.FileStatus;

/**
 * The conditions of a request, evaluated as RFC 9110 says, section 13.2.2. Immutable.
 *
 * @param match tags of which the file must have one; {@code *} for any file
 * @param noneMatch tags of which it must have none; {@code *} for no file
 * @param unmodifiedSince seconds since 1970
 * @param modifiedSince seconds since 1970; of reads alone
 */
record Conditions(
    Optional<List<String>> match,
    Optional<List<String>> noneMatch,
    Optional<Long> unmodifiedSince,
    Optional<Long> modifiedSince) {

  static final Conditions NONE =
      new Conditions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private static final String ANY = "*";
  private static final Pattern TAG = Pattern.compile("(W/)?\"[\\x21\\x23-\\x7e\\x80-\\xff]*\"");

  /** What a condition says of the request. */
  enum Verdict {
    /** Do it. */
    GO,
    /** The client has it. */
    NOT_MODIFIED,
    /** Do not. */
    FAILED
  }

  static Conditions of(Headers headers) throws Refusal {
    return new Conditions(
        tags(headers, "If-Match"),
        tags(headers, "If-None-Match"),
        Optional.ofNullable(headers.getFirst("If-Unmodified-Since")).flatMap(Tags::seconds),
        Optional.ofNullable(headers.getFirst("If-Modified-Since")).flatMap(Tags::seconds));
  }

  private static Optional<List<String>> tags(Headers headers, String name) throws Refusal {
    List<String> lines = headers.get(name);
    if (lines == null) {
      return Optional.empty();
    }
    String all = String.join(",", lines).strip();
    if (all.equals(ANY)) {
      return Optional.of(List.of(ANY));
    }
    Matcher tag = TAG.matcher(all);
    List<String> found = tag.results().map(one -> one.group()).toList();
    if (found.isEmpty() || !tag.replaceAll("").replaceAll("[, \\t]", "").isEmpty()) {
      throw new Refusal(Statuses.BAD_REQUEST, name + " takes * or tags in quotes");
    }
    return Optional.of(found);
  }

  /** Whether any is given. */
  boolean isEmpty() {
    return equals(NONE);
  }

  /** Of a read. */
  Verdict ofRead(FileStatus status) {
    if (!isMatched(Optional.of(status))) {
      return Verdict.FAILED;
    }
    if (noneMatch.isPresent()) {
      return isWeaklyIn(noneMatch.get(), status) ? Verdict.NOT_MODIFIED : Verdict.GO;
    }
    return modifiedSince.isPresent() && Tags.seconds(status) <= modifiedSince.get()
        ? Verdict.NOT_MODIFIED
        : Verdict.GO;
  }

  /** Of a write; refuses it with 412. */
  void checkWrite(Optional<FileStatus> status) throws Refusal {
    boolean hasNone =
        noneMatch.isEmpty() || status.isEmpty() || !isWeaklyIn(noneMatch.get(), status.get());
    if (!isMatched(status) || !hasNone) {
      throw failed(status);
    }
  }

  static Refusal failed(Optional<FileStatus> status) {
    return new Refusal(
        Statuses.PRECONDITION_FAILED,
        status
            .map(now -> "the file is in another state than the request asks for: " + Tags.of(now))
            .orElse("there is no file, and the request asks for one"));
  }

  private boolean isMatched(Optional<FileStatus> status) {
    if (match.isPresent()) {
      List<String> tags = match.get();
      return status.isPresent() && (tags.contains(ANY) || tags.contains(Tags.of(status.get())));
    }
    return unmodifiedSince.isEmpty()
        || status.isEmpty()
        || Tags.seconds(status.get()) <= unmodifiedSince.get();
  }

  private static boolean isWeaklyIn(List<String> tags, FileStatus status) {
    String own = Tags.of(status);
    return tags.contains(ANY) || tags.contains(own) || tags.contains("W/" + own);
  }
}
