package org.millrace.cli.run;

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
import org.millrace.examples.ArrayFormat;
import org.millrace.examples.Matmul;
import org.millrace.examples.MatmulException;
import org.millrace.examples.MatmulRequest;
import org.millrace.examples.MatmulResult;
import org.millrace.examples.MatmulWatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code millrace run matmul}: a product of arrays on disk. Used by one thread. */
@Command(
    name = "matmul",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Multiply two matrices on disk, panel by panel.",
      "",
      "A of n x n, B of n x m and C = A B are .npy files that NumPy reads, too, or Zarr arrays. Ranks multiply a"
          + " panel of A's columns while the next one is read. At the end every element of C is"
          + " compared with its formula. A run that was interrupted starts again from the beginning."
    })
final class MatmulCommand implements Callable<Integer> {

  private static final Path DEFAULT_DIRECTORY = Path.of(".millrace", "matmul");

  @Spec private CommandSpec spec;

  @ParentCommand private RunCommand run;

  private int n = MatmulRequest.DEFAULT_N;
  private OptionalInt m = OptionalInt.empty();
  private int panel = MatmulRequest.DEFAULT_PANEL;
  private ArrayFormat format = ArrayFormat.NPY;

  @Option(
      names = "--n",
      paramLabel = "n",
      description = "Rows and columns of A (default: " + MatmulRequest.DEFAULT_N + ").")
  void setN(int value) {
    n = requirePositive("--n", value);
  }

  @Option(names = "--m", paramLabel = "m", description = "Columns of B and C (default: half of n).")
  void setM(int value) {
    m = OptionalInt.of(requirePositive("--m", value));
  }

  @Option(
      names = "--panel",
      paramLabel = "w",
      description =
          "Columns of A in memory at a time (default: " + MatmulRequest.DEFAULT_PANEL + ").")
  void setPanel(int value) {
    panel = requirePositive("--panel", value);
  }

  @Option(
      names = "--format",
      paramLabel = "format",
      description = "Files of the arrays: npy or zarr (default: npy).")
  void setFormat(ArrayFormat value) {
    format = value;
  }

  private int requirePositive(String option, int value) {
    if (value < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least 1, was " + value);
    }
    return value;
  }

  @Override
  public Integer call() throws Exception {
    if (run.startsProcesses()) {
      return run.startProcesses(DEFAULT_DIRECTORY);
    }
    RunMode mode = run.mode(DEFAULT_DIRECTORY);
    Path directory = run.folder(DEFAULT_DIRECTORY);
    int columns = m.orElse(Math.ceilDiv(n, 2));
    MatmulRequest request =
        new MatmulRequest(directory, mode.ranks(), mode.nodes(), n, columns, panel, format);
    if (mode.hasRankZero()) {
      begin(request, mode);
    }
    Env env = Env.real();
    long began = env.nanoTime();
    try (Watch watch = new Watch(env, mode)) {
      Optional<MatmulResult> result = Matmul.run(request, env, watch, mode::run);
      watch.closeBar();
      if (result.isEmpty()) {
        return ExitCode.OK; // rank 0's process speaks for all
      }
      return switch (result.get()) {
        case MatmulResult.Done done -> finish(mode, done, (env.nanoTime() - began) / 1e9);
        case MatmulResult.Stopped _ -> {
          spec.commandLine().getErr().println(INTERRUPTED);
          yield ExitCode.INTERRUPTED;
        }
      };
    }
  }

  private void begin(MatmulRequest request, RunMode mode) {
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "matmul: %s x %s times %s x %s by panels of %s, %s, %.0f MB in %s%n",
            n,
            n,
            n,
            request.m(),
            Math.min(panel, n),
            who(mode),
            Math.ceil(request.arrayBytes() / 1e6),
            mode.place());
  }

  private static final String INTERRUPTED = "matmul: interrupted; the same command begins anew";

  private int finish(RunMode mode, MatmulResult.Done done, double seconds) throws MatmulException {
    if (!(done.error() <= Matmul.TOLERANCE)) {
      throw new MatmulException(
          String.format(
              Locale.ROOT,
              "matmul: an element of C is off by %.1e of its value, at most %.0e is allowed",
              done.error(),
              Matmul.TOLERANCE));
    }
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "matmul: %s in %.1f s: computing %.2f s, waiting for panels %.2f s; %s of %s sections"
                + " were there in time; C is right, largest error %.1e%n",
            who(mode),
            seconds,
            done.computing(),
            done.waiting(),
            done.inTime(),
            done.prefetched(),
            done.error());
    return ExitCode.OK;
  }

  private static String who(RunMode mode) {
    return counted(mode.ranks(), "rank") + " over " + counted(mode.nodes(), "node");
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /** Shows how far it came, and listens for interrupts. Used by rank 0 and the caller, in turn. */
  private final class Watch implements MatmulWatch, AutoCloseable {

    private final Env env;
    private final RunMode mode;
    private final StopHook hook;
    private volatile @Nullable ProgressBar bar;

    Watch(Env env, RunMode mode) {
      this.env = env;
      this.mode = mode;
      this.hook = new StopHook(env, this::giveUp);
    }

    private void giveUp() {
      closeBar();
      if (mode.hasRankZero()) {
        spec.commandLine().getErr().println(INTERRUPTED);
      }
    }

    @Override
    public void begun(int steps) {
      int columns = ProgressBar.terminalColumns();
      bar = new ProgressBar(spec.commandLine().getErr(), env, columns, "matmul", steps);
    }

    @Override
    public void stepped() {
      ProgressBar current = bar;
      if (current != null) {
        current.advance(1);
      }
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
