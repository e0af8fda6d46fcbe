package org.millrace.cli.serve;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.StopHook;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.files.FileTree;
import org.millrace.server.HttpFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code millrace serve}: a cluster's files over HTTP. Used by one thread. */
@Command(
    name = "serve",
    description = {
      "Serve the files of a cluster over HTTP, until it is interrupted.",
      "Clients act as you. They show a token, which is in a file that only you can read, or, with",
      "--tls, a certificate of yours. Without --tls only this host can connect.",
      "The interface is docs/http.md; for Python there is a package, docs/python.md."
    })
public final class ServeCommand implements Callable<Integer> {

  private static final int PORT = 7470;

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Mixin private Listening listening;

  @Override
  public Integer call() throws IOException, InterruptedException {
    listening.check();
    CountDownLatch asked = new CountDownLatch(1);
    // First, so that the JVM does not end before the cluster is closed.
    try (StopHook hook = new StopHook(Env.real(), asked::countDown, () -> {});
        RunningCluster cluster = place.open();
        FileTree tree = cluster.files()) {
      if (!hook.isAsked()) {
        listening.serve(
            "serve",
            PORT,
            (env, options) -> HttpFiles.start(env, tree, options),
            (files, file, token) -> {
              announce(files.url(), file, token);
              asked.await();
            });
      }
    }
    return ExitCode.OK;
  }

  /** The token itself is for people alone: what is not a terminal may be a log. */
  private void announce(String url, Path file, String token) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("serving " + url + "/files; the token is in " + file);
    if (Listening.isRead()) {
      out.println("token " + token);
    }
    out.flush();
  }
}
