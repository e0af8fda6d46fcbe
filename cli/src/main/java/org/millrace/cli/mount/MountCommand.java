package org.millrace.cli.mount;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.StopHook;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.mount.Mount;
import org.millrace.mount.MountOptions;
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

  @Override
  public Integer call() throws IOException {
    if (keepSeconds < 0 || keepSeconds > LONGEST_SECONDS) {
      throw new ParameterException(
          spec.commandLine(), "--keep is %d, must be 0 to 3600".formatted(keepSeconds));
    }
    if (Mount.isDead(mountPoint)) {
      Mount.unmount(mountPoint, true);
    }
    Mount.check(mountPoint);
    if (!foreground) {
      spec.commandLine().getOut().println(new MountProcess(mountPoint).start(arguments()));
      return ExitCode.OK;
    }
    AtomicReference<@Nullable Mount> served = new AtomicReference<>();
    // First, so that the JVM does not end before the cluster is closed.
    try (StopHook hook = new StopHook(Env.real(), () -> end(served.get()), () -> {});
        RunningCluster cluster = place.open();
        FileTree tree = cluster.files()) {
      if (!hook.isAsked()) {
        serve(tree, served);
      }
    }
    return ExitCode.OK;
  }

  private void serve(FileTree tree, AtomicReference<@Nullable Mount> served) throws IOException {
    // Only the cluster's administrator may make files for others.
    String administrator = tree.stat(FilePath.of("")).owner();
    boolean gives =
        Mount.isForAll() && administrator.equals(System.getProperty("user.name", "unknown"));
    MountOptions options =
        MountOptions.usual(spec.commandLine().getErr()::println)
            .withGivesOwners(gives)
            .withCacheNanos(keepSeconds * SECOND);
    try (Mount mount = Mount.start(Env.real(), tree, mountPoint, options)) {
      served.set(mount);
      PrintWriter out = spec.commandLine().getOut();
      out.println(MountProcess.READY);
      out.flush();
      mount.awaitEnd();
    }
  }

  private static void end(@Nullable Mount mount) {
    try {
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
    line.add(mountPoint.toAbsolutePath().toString());
    return line;
  }
}
