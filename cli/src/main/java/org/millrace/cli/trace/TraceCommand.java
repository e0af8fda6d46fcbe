package org.millrace.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.output.Page;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace trace}: the timeline of a recorded run. Used by one thread. */
@Command(
    name = "trace",
    description = {
      "Draw the timeline of a run as one HTML file: ranks as rows, phases as colours.",
      "Record a run with millrace run --record FILE.jfr, or start any JVM with"
          + " -XX:StartFlightRecording:filename=FILE.jfr. Of a run of several processes give the"
          + " files of all. See docs/console.md."
    })
public final class TraceCommand implements Callable<Integer> {

  private static final double NANOS = 1e9;
  private static final String SUFFIX = "\\.jfr$";

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Recordings of one run.")
  private List<Path> files = List.of();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The page (default: the first recording's name with .html).")
  private @Nullable Path out;

  @Option(
      names = "--from",
      paramLabel = "S",
      description = "Begin so many seconds after the first event.")
  private double fromSeconds;

  @Option(names = "--to", paramLabel = "S", description = "End so many seconds after it.")
  private double toSeconds = Double.POSITIVE_INFINITY;

  @Override
  public Integer call() throws IOException {
    if (!(fromSeconds >= 0 && toSeconds > fromSeconds)) {
      throw new ParameterException(
          spec.commandLine(),
          "--from %s and --to %s: the end must be after the begin"
              .formatted(fromSeconds, toSeconds));
    }
    Recorded whole = Recorded.read(files);
    if (whole.all().isEmpty()) {
      throw new IOException(
          "%s has no events of ranks: record a run that uses files of a cluster, with millrace run"
                  .formatted(files.getFirst())
              + " --record FILE.jfr");
    }
    long from = whole.from() + (long) (fromSeconds * NANOS);
    double left = (double) (whole.to() - whole.from()) / NANOS;
    long to = toSeconds >= left ? whole.to() : whole.from() + (long) (toSeconds * NANOS);
    Recorded run = whole.between(from, to);
    Path page = page();
    Files.writeString(page, html(run, from, to));
    spec.commandLine()
        .getOut()
        .printf(
            "%s events of %s ranks over %s: %s%n",
            run.all().size(), run.lanes().size(), Shown.nanos((double) (to - from)), page);
    return ExitCode.OK;
  }

  private Path page() {
    if (out != null) {
      return out;
    }
    String name = files.getFirst().getFileName().toString().replaceFirst(SUFFIX, "");
    return files.getFirst().resolveSibling(name + ".html");
  }

  private String html(Recorded run, long from, long to) {
    Page page = new Page("What the ranks did");
    page.paragraph(
        "%s events over %s. Point at a bar to read what it is; --from and --to show a part of the run at a larger scale."
            .formatted(run.all().size(), Shown.nanos((double) (to - from))));
    if (run.leftOut() > 0) {
      page.paragraph("%s more events are left out: give --from and --to.".formatted(run.leftOut()));
    }
    page.figure("", new Timeline(run, from, to).drawn());
    page.heading("Transfers: the plan, and what it took");
    page.table(TraceTables.ways(run));
    page.heading("Ranks: shares of the time");
    page.table(TraceTables.ranks(run));
    page.paragraph(
        "A transfer of a small collective call may be carried out by the last rank to arrive for"
            + " all; it is shown in the row of the rank whose bytes it moved. Independent reads and"
            + " writes below 64 KiB are not recorded.");
    return page.html();
  }
}
