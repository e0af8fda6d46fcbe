package org.millrace.cli.mount;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.StopHook;
import org.millrace.env.Env;
import org.millrace.files.FilePath;
import org.millrace.mount.Mount;
import org.millrace.mount.MountOptions;
import org.millrace.mount.MountOptions.Caching;
import org.millrace.mount.ReconnectingTree;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace mount}: a cluster's files as a directory. Used by one thread. */
@Command(
    name = "mount",
    description = {
      "Mount the files of a cluster as a directory of this host.",
      "Returns when the directory can be used; a process in the background serves it until",
      "millrace umount, or umount, ends it. As root it is there for all users, whose permissions",
      "the kernel checks; otherwise, with the help of fusermount3, for you alone.",
      "Needs Linux and /dev/fuse."
    })
public final class MountCommand implements Callable<Integer> {

  private static final long SECOND = 1_000_000_000L;
  private static final int LONGEST_SECONDS = 3600;

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Parameters(paramLabel = "MOUNTPOINT", description = "An empty directory.")
  private Path mountPoint = Path.of("");

  @Option(
      names = {"-f", "--foreground"},
      description = "Serve in this process, until it is unmounted or interrupted.")
  private boolean foreground;

  @Option(
      names = "--keep",
      paramLabel = "SECONDS",
      description =
          "How long the kernel keeps names and attributes before it asks again (default:"
              + " ${DEFAULT-VALUE}); 0 asks each time.")
  private int keepSeconds = 1;

  @Option(
      names = "--cache",
      description =
          "Let the kernel keep bytes of a file also while others have it open for writing: what"
              + " they write shows up to --keep seconds late, as with NFS.")
  private boolean cache;

  @Option(
      names = "--direct",
      description =
          "Let the kernel keep no bytes at all, also of files that nobody else writes: each read"
              + " and write is a request.")
  private boolean direct;

  @Override
  public Integer call() throws IOException {
    if (keepSeconds < 0 || keepSeconds > LONGEST_SECONDS) {
      throw new ParameterException(
          spec.commandLine(), "--keep is %s, must be 0 to 3600".formatted(keepSeconds));
    }
    if (cache && direct) {
      throw new ParameterException(spec.commandLine(), "--cache and --direct exclude each other");
    }
    if (Mount.isDead(mountPoint)) {
      Mount.unmount(mountPoint, true);
    }
    Mount.check(mountPoint);
    if (!foreground) {
      spec.commandLine().getOut().println(new MountProcess(mountPoint).start(arguments()));
      return ExitCode.OK;
    }
    ClusterSessions sessions = new ClusterSessions(Env.real(), place);
    AtomicReference<@Nullable Mount> served = new AtomicReference<>();
    AtomicReference<@Nullable ReconnectingTree> files = new AtomicReference<>();
    // First, so that the JVM does not end before the cluster is closed.
    try (StopHook hook = new StopHook(Env.real(), () -> end(files.get(), served.get()), () -> {});
        ReconnectingTree tree =
            new ReconnectingTree(Env.real(), sessions.first(), sessions, log())) {
      files.set(tree);
      if (!hook.isAsked()) {
        serve(tree, served);
      }
    }
    return ExitCode.OK;
  }

  /** Where the mount tells what people may want to know. */
  private Consumer<String> log() {
    PrintWriter err = spec.commandLine().getErr();
    return line -> {
      err.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
      err.flush();
    };
  }

  private void serve(ReconnectingTree tree, AtomicReference<@Nullable Mount> served)
      throws IOException {
    // Only the cluster's administrator may make files for others.
    String administrator = tree.stat(FilePath.of("")).owner();
    boolean gives =
        Mount.isForAll() && administrator.equals(System.getProperty("user.name", "unknown"));
    MountOptions options =
        MountOptions.usual(log())
            .withGivesOwners(gives)
            .withCacheNanos(keepSeconds * SECOND)
            .withCaching(caching());
    try (Mount mount = Mount.start(Env.real(), tree, mountPoint, options)) {
      served.set(mount);
      PrintWriter out = spec.commandLine().getOut();
      out.println(MountProcess.READY);
      out.flush();
      mount.awaitEnd();
    }
  }

  private Caching caching() {
    return cache ? Caching.ALWAYS : direct ? Caching.NEVER : Caching.DELEGATED;
  }

  private static void end(@Nullable ReconnectingTree tree, @Nullable Mount mount) {
    try {
      if (tree != null) {
        tree.giveUp(); // or requests that wait for the cluster would keep the mount
      }
      if (mount != null) {
        mount.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same command, to be run in the foreground by another process. */
  private List<String> arguments() {
    List<String> line = new ArrayList<>(List.of("mount"));
    line.addAll(place.arguments());
    line.addAll(List.of("--keep", "" + keepSeconds, "--foreground"));
    if (cache) {
      line.add("--cache");
    }
    if (direct) {
      line.add("--direct");
    }
    line.add(mountPoint.toAbsolutePath().toString());
    return line;
  }
}
