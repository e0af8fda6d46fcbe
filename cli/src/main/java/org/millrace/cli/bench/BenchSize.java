package org.millrace.cli.bench;

import java.nio.file.Path;
import org.millrace.bench.processes.ProcessesOptions;
import picocli.CommandLine.Option;

/** How much a benchmark of processes measures, and where, as options. Used by one thread. */
final class BenchSize {

  @Option(names = "--quick", description = "Less of everything, for a first look.")
  private boolean quick;

  @Option(names = "--tiny", hidden = true, description = "For tests: the numbers mean nothing.")
  private boolean tiny;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder on the disk to use (default: ${DEFAULT-VALUE}); takes up to 2 GiB, removed"
              + " afterwards.")
  private Path dir = Path.of(".millrace");

  ProcessesOptions.Size size() {
    if (tiny) {
      return ProcessesOptions.Size.TINY;
    }
    return quick ? ProcessesOptions.Size.QUICK : ProcessesOptions.Size.FULL;
  }

  Path dir() {
    return dir;
  }
}
