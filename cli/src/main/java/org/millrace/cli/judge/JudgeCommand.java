package org.millrace.cli.judge;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.judge.Outcome.Ending;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace judge}: what test suites of others say. Used by one thread. */
@Command(
    name = "judge",
    subcommands = PosixCommand.class,
    description = {
      "Run a test suite that others wrote on one of the doors of a cluster: java.nio.file, the"
          + " mount and others. Prints which tests passed, which failed for which reason, and which"
          + " were skipped.",
      "Ends with 1 if a test failed for which no reason is written down, or passed although one is."
    })
public final class JudgeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "JUDGE",
      description = "Which suite; without it the judges are listed.")
  private @Nullable String name;

  @Option(
      names = "--daemons",
      description =
          "Judge clusters whose coordinator and nodes are processes, instead of clusters in one"
              + " JVM. zarr then also goes through a mount, python also over TLS.")
  private boolean daemons;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--sources",
      paramLabel = "FOLDER",
      description = "The folder of Millrace's sources (default: the current one).")
  private Path sources = Path.of("");

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    String wanted = name;
    if (wanted == null) {
      list(out);
      return ExitCode.OK;
    }
    Judge named = Judges.named(wanted).orElseThrow(() -> unknown(wanted));
    Judge judge = daemons ? named.onDaemons().orElse(named) : named;
    Judgement judgement = judge.run(sources.toAbsolutePath().normalize());
    return show(out, judge, judgement, json);
  }

  /** Prints a judgement; returns how the command ends. */
  static int show(PrintWriter out, Judge judge, Judgement judgement, boolean json) {
    if (json) {
      out.println(Json.of(values(judge, judgement)));
    } else {
      print(out, judge, judgement);
    }
    return judgement.isGood() ? ExitCode.OK : ExitCode.FAILED;
  }

  private ParameterException unknown(String wanted) {
    return new ParameterException(
        spec.commandLine(),
        "there is no judge " + wanted + "; there are " + String.join(", ", Judges.names()));
  }

  private void list(PrintWriter out) {
    if (json) {
      out.println(
          Json.of(
              Json.object(
                  "judges",
                  Judges.ALL.stream()
                      .map(one -> Json.object("judge", one.name(), "about", one.about()))
                      .toList())));
      return;
    }
    Table table = new Table("judge", "about");
    Judges.ALL.forEach(one -> table.row(one.name(), one.about()));
    table.lines().forEach(out::println);
  }

  private static void print(PrintWriter out, Judge judge, Judgement judgement) {
    Table counts = new Table("judge", ">passed", ">failed", ">unexpected", ">skipped", "about");
    counts.row(
        judge.name(),
        judgement.count(Ending.PASSED),
        judgement.count(Ending.FAILED),
        judgement.count(Ending.UNEXPECTED),
        judgement.count(Ending.SKIPPED),
        judge.about());
    counts.lines().forEach(out::println);
    Table others = new Table("ending", "test", "reason");
    notPassed(judgement).forEach(one -> others.row(one.ending().shown(), one.test(), one.reason()));
    if (!others.isEmpty()) {
      out.println();
      others.lines().forEach(out::println);
    }
  }

  private static List<Outcome> notPassed(Judgement judgement) {
    return Stream.of(Ending.UNEXPECTED, Ending.FAILED, Ending.SKIPPED)
        .flatMap(ending -> judgement.of(ending).stream())
        .toList();
  }

  private static Map<String, @Nullable Object> values(Judge judge, Judgement judgement) {
    return Json.object(
        "judge",
        judge.name(),
        "about",
        judge.about(),
        "passed",
        judgement.count(Ending.PASSED),
        "failed",
        judgement.count(Ending.FAILED),
        "unexpected",
        judgement.count(Ending.UNEXPECTED),
        "skipped",
        judgement.count(Ending.SKIPPED),
        "notPassed",
        notPassed(judgement).stream()
            .map(
                one ->
                    Json.object(
                        "ending", one.ending().shown(),
                        "test", one.test(),
                        "reason", one.reason()))
            .toList());
  }
}
