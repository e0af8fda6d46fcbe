package org.millrace.cli.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.mount.Mount;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace umount}: ends a mount. Used by one thread. */
@Command(
    name = "umount",
    description = {
      "Unmount a directory that millrace mount has mounted.",
      "A mount whose process is dead is always removed."
    })
public final class UmountCommand implements Callable<Integer> {

  @Parameters(paramLabel = "MOUNTPOINT", description = "The directory.")
  private Path mountPoint = Path.of("");

  @Option(
      names = "--lazy",
      description = "Also if it is in use: it goes at once, and for its users when they are done.")
  private boolean lazy;

  @Override
  public Integer call() throws IOException {
    Mount.unmount(mountPoint, lazy);
    return ExitCode.OK;
  }
}
