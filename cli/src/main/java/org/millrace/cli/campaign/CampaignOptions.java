package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.env.Env;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all campaigns have: a seed, a place to work, a bar. Used by one thread. */
final class CampaignOptions {

  private static final int SHOWN = 10;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--seed", paramLabel = "S", description = "The seed (default: by chance).")
  private @Nullable Long seed;

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      description =
          "Where it makes the folder in which it works (default: where temporary ones are).")
  private @Nullable Path folder;

  final Env env = Env.real();

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** The seed, which is printed at once: what fails must be tried again. */
  long seed() {
    Long given = seed;
    long chosen = given == null ? env.random("campaign").nextLong() >>> 16 : given;
    out().printf("%s: seed %s%n", spec.qualifiedName(), chosen);
    out().flush();
    return chosen;
  }

  /** A new folder, which the campaign removes with everything in it. */
  Path workFolder() throws IOException {
    String prefix = "millrace-" + spec.name() + "-";
    Path given = folder;
    return given == null
        ? Files.createTempDirectory(prefix)
        : Files.createTempDirectory(Files.createDirectories(given), prefix);
  }

  ProgressBar bar(long steps) {
    return new ProgressBar(
        spec.commandLine().getErr(), env, ProgressBar.terminalColumns(), spec.name(), steps);
  }

  /** Throws unless an option's number is at least 1. */
  int require(String option, int value) {
    if (value < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least 1, was " + value);
    }
    return value;
  }

  /** Prints the first findings. */
  void print(List<String> findings) {
    findings.stream().limit(SHOWN).forEach(one -> out().println("  " + one));
    if (findings.size() > SHOWN) {
      out().printf("  and %s more%n", findings.size() - SHOWN);
    }
  }
}
