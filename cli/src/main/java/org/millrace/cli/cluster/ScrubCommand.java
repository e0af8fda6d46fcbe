package org.millrace.cli.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.FileProblem;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.ScrubRun;
import org.millrace.env.Env;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace scrub}: reads everything and repairs what it can. Used by one thread. */
@Command(
    name = "scrub",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Read everything that is on the nodes' disks, now, and compare it with its checksums and with"
          + " its copies.",
      "",
      "What is bad is written again from a good copy; the rest is listed, with the file's name and"
          + " bytes. Programs may run meanwhile. Exit code 1 if something bad is left. Nodes also do"
          + " this by themselves, slowly: see --scrub-rate of millrace up."
    })
public final class ScrubCommand implements Callable<Integer> {

  private static final long PAUSE_NANOS = 100_000_000L;

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "The most that each node reads in a second, with k, m or g (default: as much as it can).")
  private long rate;

  @Option(names = "--json", description = "Print the results as JSON.")
  private boolean json;

  @Option(
      names = "--background",
      description = "Return at once; millrace status shows what is found. Needs running processes.")
  private boolean background;

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (RunningCluster cluster = background ? place.connect() : place.open();
        ScrubRun run = cluster.administration().scrub(rate)) {
      if (!background) {
        await(run);
      }
      List<FileProblem> problems = run.problems();
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        out.println(Json.of(values(run, problems)));
      } else {
        problems.forEach(one -> out.println(ProblemText.line(one)));
        out.println(summary(run, problems));
      }
      return run.left() == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private void await(ScrubRun run) throws InterruptedException {
    Env env = Env.real();
    long total = Math.max(1, run.totalBytes());
    PrintWriter err = spec.commandLine().getErr();
    try (ProgressBar bar =
        new ProgressBar(err, env, ProgressBar.terminalColumns(), "scrub", total)) {
      long shown = 0;
      while (run.isRunning()) {
        long done = run.doneBytes();
        bar.advance(done - shown);
        shown = done;
        env.sleep(PAUSE_NANOS);
      }
    }
  }

  private String summary(ScrubRun run, List<FileProblem> problems) {
    if (background) {
      return "%s nodes scrub their disks; millrace status shows what they find"
          .formatted(run.nodes());
    }
    long repaired = problems.stream().filter(FileProblem::repaired).count();
    return "Scrubbed %s on %s node%s: %s, %s"
        .formatted(
            Shown.bytes(run.doneBytes()),
            run.nodes(),
            run.nodes() == 1 ? "" : "s",
            repaired == 0 ? "nothing to repair" : repaired + " repaired",
            run.left() == 0 ? "nothing bad is left" : run.left() + " left that cannot be repaired");
  }

  private Map<String, Object> values(ScrubRun run, List<FileProblem> problems) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("well", run.left() == 0);
    values.put("running", background);
    values.put("nodes", run.nodes());
    values.put("bytes", run.doneBytes());
    values.put("left", run.left());
    values.put("problems", ProblemText.values(problems));
    return values;
  }
}
