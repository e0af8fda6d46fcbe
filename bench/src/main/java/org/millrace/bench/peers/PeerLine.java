package org.millrace.bench.peers;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A line that the C program printed; what each means stands at its top. All are values. */
sealed interface PeerLine {

  /** Which MPI it was linked with. */
  record Library(String version) implements PeerLine {}

  /** A case begins. */
  record Begin(String key) implements PeerLine {}

  /** A lap of a case has ended. */
  record Sample(String key, long nanos) implements PeerLine {}

  /** A lap took longer than that, and the program has ended itself. */
  record Cut(String key, long nanos) implements PeerLine {}

  /** Bytes are not what they should be. */
  record Wrong(String key, long place, String found, String expected) implements PeerLine {}

  /** Something else went wrong. */
  record Failed(String why) implements PeerLine {}

  /** All cases have run. */
  record Done() implements PeerLine {}

  /** Launchers print in between, and may begin in the middle of a line. */
  Pattern LINE =
      Pattern.compile(
          "mpiio (?:(?<text>library|failed) (?<rest>.*)|(?<done>done)"
              + "|(?<word>begin|sample|cut|wrong) (?<key>\\d+ (?:read|write)"
              + " (?:independent|collective))(?<numbers>(?: \\d+)*))");

  /** What lines end with. */
  Pattern NUMBER = Pattern.compile("\\d+");

  /** The line as a value; empty if the C program did not print it. */
  static Optional<PeerLine> parse(String line) {
    Matcher match = LINE.matcher(line.strip());
    if (!match.matches()) {
      return Optional.empty();
    }
    if (match.group("done") != null) {
      return Optional.of(new Done());
    }
    if (match.group("text") != null) {
      String rest = match.group("rest");
      boolean library = match.group("text").equals("library");
      return Optional.of(library ? new Library(rest.replaceAll("\\s+", " ")) : new Failed(rest));
    }
    String key = match.group("key");
    List<String> numbers =
        NUMBER.matcher(match.group("numbers")).results().map(MatchResult::group).toList();
    return switch (match.group("word") + " " + numbers.size()) {
      case "begin 0" -> Optional.of(new Begin(key));
      case "sample 1" -> Optional.of(new Sample(key, Long.parseLong(numbers.getFirst())));
      case "cut 1" -> Optional.of(new Cut(key, Long.parseLong(numbers.getFirst())));
      case "wrong 3" ->
          Optional.of(
              new Wrong(key, Long.parseLong(numbers.getFirst()), numbers.get(1), numbers.get(2)));
      default -> Optional.empty();
    };
  }
}
