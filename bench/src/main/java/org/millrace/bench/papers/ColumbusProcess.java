package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.env.Env;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/**
 * One rank of {@link ColumbusBenchmark}, a process that is also a node. All ranks get the same
 * orders. Orders:
 *
 * <pre>
 *   ready                            answers ok when the records are there
 *   lap strands|plain LAP UPDATES    answers a {@link ColumbusResult}
 *   verify strands|plain LAPS UPDATES    answers ok if all records are right
 * </pre>
 *
 * One thread.
 */
final class ColumbusProcess {

  private final ColumbusRank strands;
  private final ColumbusRank plain;

  private ColumbusProcess(ColumbusRank strands, ColumbusRank plain) {
    this.strands = strands;
    this.plain = plain;
  }

  /** Arguments: the cluster's directory, the path of the plain file, how many records. */
  public static void main(String[] args) throws IOException {
    org.millrace.launch.Launch launch = org.millrace.launch.Launch.recognize().orElseThrow();
    Path directory = Path.of(args[0]);
    int records = Integer.parseInt(args[2]);
    try (ProcessRank launched =
        ProcessRank.asPeer(launch, directory, launch.size(), ProcessRankOptions.DEFAULT)) {
      launched.run(
          rank -> {
            Env env = Env.real();
            try (ColumbusRank strands = new ColumbusRank(env, rank, "columbus", records);
                ColumbusRank plain = new ColumbusRank(env, rank, args[1], records)) {
              ChildCommands.serve(new ColumbusProcess(strands, plain)::handle);
            }
          });
    }
  }

  private String handle(String[] words) throws IOException {
    if (words[0].equals("ready")) {
      return "ok";
    }
    boolean onStrands = words[1].equals("strands");
    ColumbusRank records = onStrands ? strands : plain;
    int first = Integer.parseInt(words[2]);
    int updates = Integer.parseInt(words[3]);
    switch (words[0]) {
      case "lap" -> {
        return records.lap(onStrands ? "strands" : "one plain file", first, updates).line();
      }
      case "verify" -> records.verify(first, updates);
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    }
    return "ok";
  }
}
