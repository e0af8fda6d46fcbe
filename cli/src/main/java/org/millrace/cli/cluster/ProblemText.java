package org.millrace.cli.cluster;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.FileProblem;

/** What a scrub or a check found, as lines and as values for JSON. Stateless. */
public final class ProblemText {

  private ProblemText() {}

  /** For people: one line. */
  public static String line(FileProblem one) {
    String file =
        one.file() == 0
            ? ""
            : (one.path().isEmpty() ? "file " + one.file() : one.path())
                + (one.to() == 0 ? "" : ", " + one.bytes())
                + (one.node() < 0 ? "" : ", on");
    String node = one.node() < 0 ? "" : (file.isEmpty() ? "" : " ") + "node " + one.node();
    String begin = file + node;
    return (one.repaired() ? "repaired: " : "problem: ")
        + Shown.text(begin + (begin.isEmpty() ? "" : ": ") + one.what());
  }

  /** For programs. */
  public static List<Map<String, Object>> values(List<FileProblem> all) {
    return all.stream().map(ProblemText::value).toList();
  }

  private static Map<String, Object> value(FileProblem one) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("path", one.path());
    value.put("file", one.file());
    value.put("strand", one.strand());
    value.put("node", one.node());
    value.put("from", one.from());
    value.put("to", one.to());
    value.put("repaired", one.repaired());
    value.put("what", one.what());
    return value;
  }
}
