package org.millrace.cli.serve;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.StopHook;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.files.FileTree;
import org.millrace.server.HttpFiles;
import org.millrace.server.ServeOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      description = "Where to listen (default: ${DEFAULT-VALUE}); port 0 is any free one.")
  private String address = "127.0.0.1:7470";

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = "Serve over TLS 1.3 with the keys in this folder (millrace keys).")
  private @Nullable Path tls;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "The file with the token; made if it is missing, and kept.",
        "Default: serve-PORT.token in a folder of yours, new each time."
      })
  private @Nullable Path tokenFile;

  @Override
  public Integer call() throws IOException, InterruptedException {
    InetSocketAddress at = parsed();
    CountDownLatch asked = new CountDownLatch(1);
    // First, so that the JVM does not end before the cluster is closed.
    try (StopHook hook = new StopHook(Env.real(), asked::countDown, () -> {});
        RunningCluster cluster = place.open();
        FileTree tree = cluster.files()) {
      if (!hook.isAsked()) {
        serve(tree, at, asked);
      }
    }
    return ExitCode.OK;
  }

  private InetSocketAddress parsed() {
    try {
      if (Address.parse("tcp:" + address) instanceof Address.Tcp(String host, int port, _)) {
        return new InetSocketAddress(host, port);
      }
      throw new IllegalArgumentException("'" + address + "' is not HOST:PORT");
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--address: " + e.getMessage(), e);
    }
  }

  private void serve(FileTree tree, InetSocketAddress at, CountDownLatch asked)
      throws IOException, InterruptedException {
    Env env = Env.real();
    Path given = tokenFile;
    RunFolder folder = RunFolder.ofUser();
    // The file is named after the port, which is known only when the server has one.
    Path file = given != null ? given : folder.file("serve-new-" + ProcessHandle.current().pid());
    String token = given != null ? TokenFile.readOrMake(env, file) : TokenFile.make(env, file);
    String user = System.getProperty("user.name", "unknown");
    ServeOptions options = ServeOptions.local(at, token, user);
    try (HttpFiles files =
        HttpFiles.start(env, tree, tls == null ? options : options.withTls(Tls.load(tls)))) {
      if (given == null) {
        Path named = folder.file("serve-" + files.address().getPort() + ".token");
        Files.move(file, named, StandardCopyOption.REPLACE_EXISTING);
        file = named;
      }
      announce(files.url(), file, token);
      asked.await();
    } finally {
      if (given == null) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** The token itself is for people alone: what is not a terminal may be a log. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again (JDK-8351435)
  private void announce(String url, Path file, String token) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("serving " + url + "/files; the token is in " + file.toAbsolutePath());
    Console console = System.console();
    if (console != null && console.isTerminal()) {
      out.println("token " + token);
    }
    out.flush();
  }
}
