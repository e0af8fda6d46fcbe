package org.millrace.cli.judge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.cli.judge.Outcome.Ending;

/**
 * How all tests of a judge ended. Immutable.
 *
 * @param outcomes one for each test
 */
record Judgement(List<Outcome> outcomes) {

  Judgement {
    outcomes = List.copyOf(outcomes);
  }

  long count(Ending ending) {
    return outcomes.stream().filter(one -> one.ending() == ending).count();
  }

  List<Outcome> of(Ending ending) {
    return outcomes.stream().filter(one -> one.ending() == ending).toList();
  }

  /** Whether there was a test, and every failure has a reason. */
  boolean isGood() {
    return !outcomes.isEmpty() && count(Ending.UNEXPECTED) == 0;
  }

  /**
   * Reads what a judge has left behind, one line for each test:
   *
   * <pre>
   *   passed|failed|unexpected|skipped TAB test TAB reason
   * </pre>
   */
  static Judgement read(Path file) throws IOException {
    List<Outcome> outcomes = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      List<String> cells = List.of(line.split("\t", 3));
      if (cells.size() != 3) {
        throw new IOException(file + ": expected ending, test and reason in '" + line + "'");
      }
      outcomes.add(new Outcome(cells.get(1), ending(file, cells.get(0)), cells.get(2)));
    }
    return new Judgement(outcomes);
  }

  private static Ending ending(Path file, String name) throws IOException {
    try {
      return Ending.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": '" + name + "' is no ending of a test", e);
    }
  }
}
