package org.millrace.bench.papers;

import java.util.ArrayList;
import java.util.List;
import org.millrace.heritage.fem.Phases;

/**
 * What EDONIO's report measured in 1995 on a Paragon, in seconds. Each line: table, label of the
 * row, then the seven phases of EDONIO, then, where the report has them, the phases of NX, which
 * has no preload. No state.
 */
public final class EdonioPaper {

  /** The report's name for its own library. */
  public static final String EDONIO = "EDONIO 1995";

  /** The report's name for the system's own calls. */
  public static final String NX = "NX 1995";

  private static final String NUMBERS =
      """
      5.1 1024 3.0 20.6 0.7 1.6 0.7 55.6 0.2
      5.1 2048 1.7 21.2 1.5 1.2 1.3 52.7 0.3
      5.1 4096 1.6 17.3 3.2 2.2 2.6 46.2 0.3
      5.1 8192 1.5 13.4 6.2 1.2 5.5 29.4 0.3
      5.1 12288 1.6 9.6 6.6 2.2 10.3 20.3 1.5
      5.2 yes 2.2 3.1 2.4 1.3 1.3 4.7 0.2
      5.2 no 1.2 3.1 1.8 0.8 0.0 25.3 0.2 1.4 38.5 0.2 0.7 0.0 25.4 0.2
      5.3 1 1.9 29.1 0.7 0.7 2.5 44.9 0.1 1.0 293.7 0.1 0.4 0.0 213.7 0.1
      5.3 2 1.5 20.9 0.6 0.6 2.8 39.5 0.1 1.0 187.8 0.1 0.5 0.0 83.8 0.1
      5.3 4 2.0 13.2 0.7 0.6 2.8 22.6 0.1 0.9 84.2 0.1 0.6 0.0 48.9 0.1
      5.3 8 1.4 6.4 1.2 0.7 1.9 8.2 0.2 0.9 50.5 0.1 0.6 0.0 34.2 0.1
      5.3 16 1.2 3.5 1.1 1.0 1.8 4.3 0.3 1.5 26.8 0.2 0.7 0.0 17.0 0.2
      5.3 32 2.0 2.0 1.8 1.3 1.0 2.3 0.4 1.6 20.5 0.4 1.4 0.0 10.0 0.4
      5.3 64 3.1 1.3 2.4 2.5 0.9 1.3 0.8 2.8 22.6 0.7 3.0 0.0 9.5 0.9
      5.4 16 3.1 31.3 1.9 1.4 2.2 84.5 0.3 1.3 141.2 0.2 0.8 0.0 89.5 0.2
      5.4 32 3.1 15.5 3.2 1.5 3.6 30.1 0.4 2.1 122.4 0.4 1.3 0.0 49.3 0.4
      5.4 64 3.0 5.3 7.6 2.5 7.9 7.2 0.8 3.5 118.6 0.7 2.1 0.0 48.0 0.7
      5.4 128 4.7 3.0 10.7 4.3 7.7 4.0 1.6 4.7 89.2 1.5 3.7 0.0 47.5 1.4
      5.5 32 2.1 45.9 5.2 2.6 3.4 119.5 0.4 1.5 262.0 0.4 2.3 0.0 111.4 0.3
      5.5 64 2.9 24.1 7.3 2.8 6.5 56.7 0.8 2.8 218.1 0.7 2.2 0.0 108.8 0.7
      5.5 128 4.9 14.1 23.1 4.6 15.8 21.4 1.5 4.5 360.3 1.5 4.8 0.0 105.2 1.5
      """;

  private static final int PHASES = 7;

  private EdonioPaper() {}

  /** The report's lines for a row of a table; none if it has no such row. */
  static List<EdonioTable.Line> lines(String table, String label) {
    List<EdonioTable.Line> lines = new ArrayList<>();
    for (String line : NUMBERS.lines().toList()) {
      List<String> words = List.of(line.split(" "));
      if (words.get(0).equals(table) && words.get(1).equals(label)) {
        Phases edonio = phases(words.subList(2, 2 + PHASES));
        boolean both = words.size() > 2 + PHASES;
        Phases nx = both ? phases(words.subList(2 + PHASES, words.size())) : edonio;
        lines.add(
            both
                ? EdonioTable.Line.of(EDONIO, edonio, nx)
                : new EdonioTable.Line(EDONIO, edonio, Double.NaN, Double.NaN));
        if (both) {
          lines.add(EdonioTable.Line.of(NX, nx, nx));
        }
      }
    }
    return lines;
  }

  private static Phases phases(List<String> words) {
    double[] s = words.stream().mapToDouble(Double::parseDouble).toArray();
    return new Phases(s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
  }
}
