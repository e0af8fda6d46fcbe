package org.millrace.cli.serve;

import java.io.Console;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.server.HttpService;
import org.millrace.server.ServeOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * Where a server over HTTP listens and whom it lets in, as options; and its token, as a file. Used
 * by one thread.
 */
public final class Listening {

  /** Starts a server. */
  public interface Start<S extends HttpService> {

    /** Starts it. */
    S start(Env env, ServeOptions options) throws IOException;
  }

  /** What is done while a server runs. */
  public interface During<S extends HttpService> {

    /**
     * Does it.
     *
     * @param tokenFile the file with the token
     * @param token for people alone: what is not a terminal may be a log
     */
    void with(S server, Path tokenFile, String token) throws IOException, InterruptedException;
  }

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      description =
          "Where to listen; port 0 is any free one (default: 127.0.0.1 and port 7470 for serve, 7480"
              + " for console).")
  private @Nullable String address;

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
        "Default: COMMAND-PORT.token in a folder of yours, new each time."
      })
  private @Nullable Path tokenFile;

  private InetSocketAddress at(int port) {
    String given = address == null ? "127.0.0.1:" + port : address;
    try {
      if (Address.parse("tcp:" + given) instanceof Address.Tcp(String host, int there, _)) {
        return new InetSocketAddress(host, there);
      }
      throw new IllegalArgumentException("'" + given + "' is not HOST:PORT");
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--address: " + e.getMessage(), e);
    }
  }

  /** Checks the options before anything is started. */
  public void check() {
    at(0);
  }

  /** Whether a person reads what is printed. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again (JDK-8351435)
  public static boolean isRead() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * Runs a server.
   *
   * @param name of the command: its token's file is called so
   * @param port where it listens if nobody says otherwise
   */
  public <S extends HttpService> void serve(String name, int port, Start<S> start, During<S> during)
      throws IOException, InterruptedException {
    Env env = Env.real();
    InetSocketAddress at = at(port);
    Path given = tokenFile;
    RunFolder folder = RunFolder.ofUser();
    // The file is named after the port, which is known only when the server has one.
    Path file = given != null ? given : folder.file(name + "-new-" + ProcessHandle.current().pid());
    String token = given != null ? TokenFile.readOrMake(env, file) : TokenFile.make(env, file);
    String user = System.getProperty("user.name", "unknown");
    ServeOptions options = ServeOptions.local(at, token, user);
    try (S server = start.start(env, tls == null ? options : options.withTls(Tls.load(tls)))) {
      if (given == null) {
        Path named = folder.file(name + "-" + server.address().getPort() + ".token");
        Files.move(file, named, StandardCopyOption.REPLACE_EXISTING);
        file = named;
      }
      during.with(server, file.toAbsolutePath(), token);
    } finally {
      if (given == null) {
        Files.deleteIfExists(file);
      }
    }
  }
}
