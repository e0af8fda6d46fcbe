package org.millrace.cli.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the studies in simulated time have in common, as options. Used by one thread. */
final class StudyOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Seed of every run (default: ${DEFAULT-VALUE}); the same seed gives the same run.")
  private long seed = 1;

  @Option(
      names = {"--figures", "--pictures"},
      paramLabel = "DIR",
      description = "Draw the figures into DIR, as SVG files.")
  private @Nullable Path figures;

  @Mixin private ReportFiles files;

  long seed() {
    return seed;
  }

  /** Hours of simulating would be lost if only writing their result found out. */
  void check() throws IOException {
    files.check();
    if (figures != null) {
      Files.createDirectories(figures);
    }
  }

  /**
   * Runs a study under a progress bar.
   *
   * @param steps how many there are; the study says which of them it has done
   */
  <O> O run(long steps, Function<LongConsumer, O> study) {
    try (ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            Env.real(),
            ProgressBar.terminalColumns(),
            "sim " + spec.name(),
            steps)) {
      bar.advance(0);
      return study.apply(bar::advance);
    }
  }

  /** Writes what was asked for: the rows, and pictures by the names of their files. */
  void write(
      Supplier<String> asJson, Supplier<String> asPage, Supplier<Map<String, String>> pictures)
      throws IOException {
    files.write(asJson, asPage);
    if (figures != null) {
      for (Map.Entry<String, String> one : pictures.get().entrySet()) {
        Files.writeString(figures.resolve(one.getKey()), one.getValue());
      }
    }
  }
}
