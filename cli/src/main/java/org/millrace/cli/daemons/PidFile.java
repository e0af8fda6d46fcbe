package org.millrace.cli.daemons;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.millrace.disk.ProcessStart;
import org.millrace.disk.RunFolder;

/**
 * A file that contains a daemon's process number and start time, so that a later process with the
 * same number is not mistaken for it. Immutable.
 *
 * <pre>
 *   4711                        the process
 *   0f3c...-... 4711002         when it began, as {@link ProcessStart} says it; may be missing
 * </pre>
 *
 * @param folder where the file is
 * @param daemon "coordinator", "node-3" or "console"
 */
public record PidFile(RunFolder folder, String daemon) {

  String name() {
    return daemon + ".pid";
  }

  /** Says that it is this process. */
  public void write() throws IOException {
    ProcessHandle self = ProcessHandle.current();
    folder.write(name(), self.pid() + "\n" + ProcessStart.of(self) + "\n");
  }

  /** The daemon's process, if it lives. */
  Optional<ProcessHandle> process() throws IOException {
    List<String> lines = folder.read(name()).map(text -> text.lines().toList()).orElse(List.of());
    if (lines.isEmpty() || !lines.getFirst().matches("[0-9]{1,18}")) {
      return Optional.empty();
    }
    String then = lines.size() < 2 ? "" : lines.get(1);
    return ProcessStart.find(Long.parseLong(lines.getFirst()), then);
  }

  /** Whether the file is there: its daemon lives, or has not ended in order. */
  boolean isThere() throws IOException {
    return folder.read(name()).isPresent();
  }

  /** Takes the file away. */
  public void delete() throws IOException {
    folder.delete(name());
  }
}
