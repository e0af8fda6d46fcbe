package org.millrace.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.StopHook;
import org.millrace.env.Env;
import org.millrace.examples.Heat;
import org.millrace.examples.HeatPicture;
import org.millrace.examples.HeatPlan;
import org.millrace.examples.HeatRequest;
import org.millrace.examples.HeatResult;
import org.millrace.examples.HeatWatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code millrace run heat}: the first example. Used by one thread. */
@Command(
    name = "heat",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Compute how heat spreads over a plate, and draw a picture of it.",
      "",
      "Ranks compute the field and keep it in shared files. Its checksum does not depend on the"
          + " number of ranks or nodes. From time to time they write a snapshot and a checkpoint."
          + " --resume continues a run that was interrupted or killed, with any number of ranks."
    })
final class HeatCommand implements Callable<Integer> {

  private static final Path DEFAULT_DIRECTORY = Path.of(".millrace", "heat");
  private static final Path DEFAULT_PICTURE = Path.of("heat.png");

  private static final String OR_AS_BEFORE = "; with --resume: as before).";

  @Spec private CommandSpec spec;

  @ParentCommand private RunCommand run;

  private OptionalInt size = OptionalInt.empty();
  private OptionalInt steps = OptionalInt.empty();
  private OptionalInt every = OptionalInt.empty();

  @Option(names = "--resume", description = "Continue from the last checkpoint in --dir.")
  private boolean resume;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the picture goes (default: heat.png).")
  private Path picture = DEFAULT_PICTURE;

  @Option(
      names = "--size",
      paramLabel = "n",
      description =
          "Rows and columns of the grid (default: " + HeatRequest.DEFAULT_SIZE + OR_AS_BEFORE)
  void setSize(int n) {
    size = OptionalInt.of(requireAtLeast(1, "--size", n));
  }

  @Option(
      names = "--steps",
      paramLabel = "k",
      description = "Steps to do in all (default: " + HeatRequest.DEFAULT_STEPS + OR_AS_BEFORE)
  void setSteps(int k) {
    steps = OptionalInt.of(requireAtLeast(0, "--steps", k));
  }

  @Option(
      names = "--every",
      paramLabel = "s",
      description =
          "Steps from one snapshot and checkpoint to the next (default: a tenth of all). A snapshot"
              + " takes 8 n^2 bytes of --dir, a checkpoint takes the place of the last but one.")
  void setEvery(int s) {
    every = OptionalInt.of(requireAtLeast(1, "--every", s));
  }

  @Override
  public Integer call() throws Exception {
    if (run.startsProcesses()) {
      int code = run.startProcesses(DEFAULT_DIRECTORY);
      if (code == ExitCode.KILLED) { // of other ends rank 0 tells
        spec.commandLine()
            .getErr()
            .println("heat: if it has written a checkpoint, continue with: " + again());
      }
      return code;
    }
    RunMode mode = run.mode(DEFAULT_DIRECTORY);
    Path directory = run.folder(DEFAULT_DIRECTORY);
    HeatRequest request =
        new HeatRequest(directory, mode.ranks(), mode.nodes(), size, steps, every, resume);
    HeatPicture.checkPlace(picture);
    Path folder = picture.toAbsolutePath().getParent();
    if (folder != null && !Files.isWritable(folder)) { // better now than after the last step
      throw new AccessDeniedException("cannot write the picture " + picture);
    }
    Env env = Env.real();
    long began = env.nanoTime();
    try (Watch watch = new Watch(env, mode)) {
      Optional<HeatResult> result = compute(mode, request, watch);
      watch.closeBar();
      if (result.isEmpty()) {
        return ExitCode.OK; // rank 0's process speaks for all
      }
      return switch (result.get()) {
        case HeatResult.Done done ->
            finish(mode, done, watch.first, (env.nanoTime() - began) / 1e9);
        case HeatResult.Stopped stopped -> {
          spec.commandLine().getErr().println(ended("interrupted", stopped.plan().step()));
          yield ExitCode.INTERRUPTED;
        }
      };
    }
  }

  private Optional<HeatResult> compute(RunMode mode, HeatRequest request, Watch watch)
      throws Exception {
    try {
      return mode instanceof RunMode.OneJvm
          ? Optional.of(Heat.run(request, watch))
          : Heat.run(request, watch, mode::run);
    } catch (IOException | RuntimeException e) {
      if (watch.savedSteps >= 0) {
        watch.closeBar();
        spec.commandLine().getErr().println(ended("failed", watch.savedSteps));
      }
      throw e;
    }
  }

  private int finish(RunMode mode, HeatResult.Done done, int first, double seconds)
      throws Exception {
    new HeatPicture(done, who(mode)).write(picture);
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "heat: %s steps%s by %s in %.1f s: maximum %.4f, mean %.4f, checksum %08x; picture"
                + " %s%n",
            done.plan().step(),
            first == 0 ? "" : " (" + (done.plan().step() - first) + " of them now)",
            who(mode),
            seconds,
            done.maximum(),
            done.mean(),
            done.checksum(),
            picture);
    return ExitCode.OK;
  }

  private static String who(RunMode mode) {
    return counted(mode.ranks(), "rank") + " over " + counted(mode.nodes(), "node");
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /** The line for a run that ended early. */
  private String ended(String how, int step) {
    return "heat: %s; the last checkpoint is of step %s; continue with: %s"
        .formatted(how, step, again());
  }

  /** The command that continues this run. */
  private String again() {
    String command = System.getProperty("millrace.command", "millrace");
    StringBuilder again = new StringBuilder(quoted(command));
    again.append(" run heat --resume");
    if (run.startsProcesses()) {
      again.append(" --procs");
    }
    run.directory()
        .ifPresent(directory -> again.append(" --dir ").append(quoted(directory.toString())));
    if (!picture.equals(DEFAULT_PICTURE)) {
      again.append(" --out ").append(quoted(picture.toString()));
    }
    return again.toString();
  }

  private static String quoted(String text) {
    return text.matches("[\\w./+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private int requireAtLeast(int bound, String option, int value) {
    if (value < bound) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least " + bound + ", was " + value);
    }
    return value;
  }

  /** Shows how far it came, and listens for interrupts. Used by rank 0 and the caller, in turn. */
  private final class Watch implements HeatWatch, AutoCloseable {

    private final Env env;
    private final RunMode mode;
    private final StopHook hook;
    private volatile int savedSteps = -1;
    private volatile int first;
    private volatile @Nullable ProgressBar bar;

    Watch(Env env, RunMode mode) {
      this.env = env;
      this.mode = mode;
      this.hook = new StopHook(env, this::giveUp);
    }

    private void giveUp() {
      closeBar();
      if (!mode.hasRankZero()) {
        return;
      }
      PrintWriter err = spec.commandLine().getErr();
      if (savedSteps < 0) {
        err.println("heat: interrupted before the first checkpoint");
      } else {
        err.println(ended("interrupted", savedSteps));
      }
    }

    @Override
    public void begun(HeatPlan plan) {
      first = plan.step();
      double megabytes = plan.fieldBytes() * (plan.snapshots() + 3.0) / 1e6;
      String from = plan.step() == 0 ? "" : ", from step " + plan.step();
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "heat: %s x %s cells, %s steps%s, %s, up to %.0f MB in %s%n",
              plan.size(),
              plan.size(),
              plan.steps(),
              from,
              who(mode),
              Math.ceil(megabytes),
              mode.place());
      int columns = ProgressBar.terminalColumns();
      PrintWriter err = spec.commandLine().getErr();
      ProgressBar fresh = new ProgressBar(err, env, columns, "heat", Math.max(1, plan.steps()));
      fresh.advance(plan.step());
      bar = fresh;
    }

    @Override
    public void stepped() {
      ProgressBar current = bar;
      if (current != null) {
        current.advance(1);
      }
    }

    @Override
    public void saved(int step) {
      savedSteps = step;
    }

    @Override
    public boolean wantsStop() {
      return hook.isAsked();
    }

    void closeBar() {
      ProgressBar current = bar;
      if (current != null) {
        current.close();
      }
    }

    @Override
    public void close() {
      closeBar();
      hook.close();
    }
  }
}
