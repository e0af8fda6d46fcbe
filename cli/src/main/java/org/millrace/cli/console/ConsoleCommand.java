package org.millrace.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.daemons.ConsoleDaemon;
import org.millrace.cli.serve.Listening;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.StopHook;
import org.millrace.env.Env;
import org.millrace.server.HttpConsole;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace console}: a page that shows a cluster. Used by one thread. */
@Command(
    name = "console",
    description = {
      "Show a running cluster in a browser, until it is interrupted: nodes, files, groups and who"
          + " waits for whom, scrubs, what is wrong and what to do. Metrics for Prometheus are at"
          + " /metrics, probes at /health/live and /health/ready.",
      "Browsers log in with the link that is printed, once, with the token, which is in a file that"
          + " only you can read, or, with --tls, with a certificate of yours. Without --tls only this"
          + " host can connect. The page only shows, unless --allow-changes is given. See"
          + " docs/console.md."
    })
public final class ConsoleCommand implements Callable<Integer> {

  private static final int PORT = 7480;
  private static final long SECOND = 1_000_000_000L;

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Mixin private Listening listening;

  @Option(
      names = "--allow-changes",
      description =
          "Let the page start scrubs, drain and use nodes, and remove files; it asks each time.")
  private boolean changes;

  @Option(
      names = "--max-wait",
      paramLabel = "S",
      description =
          "Seconds that a rank may wait for others before it is a problem (default:"
              + " ${DEFAULT-VALUE}).")
  private int maxWait = 60;

  @Option(names = "--as-daemon", hidden = true, description = "Started by millrace up.")
  private boolean daemon;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (maxWait < 0) {
      throw new ParameterException(
          spec.commandLine(), "--max-wait must be at least 0, was " + maxWait);
    }
    listening.check();
    CountDownLatch asked = new CountDownLatch(1);
    // First, so that the JVM does not end before the connection is closed.
    try (StopHook hook = new StopHook(Env.real(), asked::countDown, () -> {});
        ClusterView view = new ClusterView(Env.real(), place::connect, maxWait * SECOND)) {
      view.open();
      if (!hook.isAsked()) {
        listening.serve(
            "console",
            PORT,
            (env, options) -> HttpConsole.start(env, view, options, changes),
            (console, file, _) -> run(console, file, asked));
      }
    }
    return ExitCode.OK;
  }

  private void run(HttpConsole console, Path file, CountDownLatch asked)
      throws IOException, InterruptedException {
    if (!daemon) {
      announce(console, file);
      asked.await();
      return;
    }
    try (ConsoleDaemon _ =
        ConsoleDaemon.begin(place.directory(), console.url(), console.link(), file)) {
      asked.await();
    }
  }

  /** The link is for people alone: what is not a terminal may be a log. */
  private void announce(HttpConsole console, Path file) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("console at " + console.url() + "; the token is in " + file);
    if (Listening.isRead()) {
      out.println("open " + console.link());
      out.println("(this link is good once, within ten minutes)");
    }
    out.flush();
  }
}
