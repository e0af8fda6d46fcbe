package org.millrace.cli.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Screen;
import org.millrace.cluster.Administration;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace top}: what a running cluster does, live. Used by one thread. */
@Command(
    name = "top",
    description = {
      "Show what machines, nodes and processes do: bytes, requests, hits, how long requests take.",
      "In a terminal it refreshes until q or Ctrl-C. Elsewhere, and with --count, it prints one"
          + " picture after another as text.",
      "Times are those of requests since the last picture: the mean and the 99th percentile."
    })
public final class TopCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = "--every",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seconds between pictures (default: ${DEFAULT-VALUE}).")
  private double every = 1;

  @Option(names = "--count", paramLabel = "N", description = "Print N pictures as text and end.")
  private @Nullable Integer count;

  @Option(names = "--once", description = "Print one picture as text and end: --count 1.")
  private boolean once;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!(every >= 0.01 && every <= 3600)) {
      throw new ParameterException(
          spec.commandLine(), "--every must be within 0.01..3600 seconds, was " + every);
    }
    if (count != null && count < 1) {
      throw new ParameterException(spec.commandLine(), "--count must be at least 1, was " + count);
    }
    Env env = Env.real();
    PrintWriter out = spec.commandLine().getOut();
    try (RunningCluster cluster = place.connect()) {
      Administration administration = cluster.administration();
      if (once || count != null || !Screen.isTerminal()) {
        print(env, administration, out, once ? 1 : count == null ? Integer.MAX_VALUE : count);
      } else {
        show(env, administration, out);
      }
    }
    return ExitCode.OK;
  }

  private long everyNanos() {
    return (long) (every * 1e9);
  }

  private void print(Env env, Administration administration, PrintWriter out, int pictures)
      throws IOException, InterruptedException {
    ClusterState before = ClusterState.of(env, administration);
    for (int i = 0; i < pictures; i++) {
      env.sleep(everyNanos());
      ClusterState now = ClusterState.of(env, administration);
      if (i > 0) {
        out.println();
      }
      new TopFrame(before, now).lines().forEach(out::println);
      out.flush();
      before = now;
    }
  }

  private void show(Env env, Administration administration, PrintWriter out)
      throws IOException, InterruptedException {
    try (Screen screen = Screen.open(env, out)) {
      ClusterState before = ClusterState.of(env, administration);
      // The first picture comes soon, the others in their time.
      boolean goesOn = screen.waitForKey(Math.min(everyNanos(), 200_000_000L)) != 'q';
      while (goesOn) {
        ClusterState now = ClusterState.of(env, administration);
        screen.draw(new TopFrame(before, now).lines());
        before = now;
        goesOn = screen.waitForKey(everyNanos()) != 'q';
      }
    }
  }
}
