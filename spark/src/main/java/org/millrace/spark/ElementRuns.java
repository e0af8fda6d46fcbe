package org.millrace.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * Which elements a task has written, as runs of neighbours. Sent to the driver. Immutable.
 *
 * @param runs in ascending order
 */
record ElementRuns(List<Run> runs) implements WriterCommitMessage {

  private static final long serialVersionUID = 1;

  /**
   * Neighbours in the file.
   *
   * @param from the first element, in the order of the file
   * @param to one past the last
   */
  record Run(long from, long to) implements Serializable {}

  /** Makes sure that all tasks together have written each element once. */
  static void checkTiling(WriterCommitMessage[] messages, long elements) {
    List<Run> all = new ArrayList<>();
    Arrays.stream(messages)
        .filter(ElementRuns.class::isInstance)
        .forEach(message -> all.addAll(((ElementRuns) message).runs));
    all.sort(Comparator.comparingLong(Run::from));
    long done = 0;
    for (Run run : all) {
      if (run.from != done) {
        String what = run.from > done ? "no row for" : "several rows for";
        throw new IllegalStateException(wrong(what, Math.min(run.from, done)));
      }
      done = run.to;
    }
    if (done != elements) {
      throw new IllegalStateException(wrong("no row for", done));
    }
  }

  /** Says what is wrong with the rows of an element. */
  static String wrong(String what, long element) {
    return "there is %s element %s, in the order of the file; there must be one for each"
        .formatted(what, element);
  }
}
