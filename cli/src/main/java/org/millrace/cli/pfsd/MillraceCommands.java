package org.millrace.cli.pfsd;

import java.util.List;
import picocli.CommandLine;

/** Millrace's own commands, for those of PFSLib that are other names for them. */
public interface MillraceCommands {

  /**
   * Runs a command line as if it had been typed in place of {@code asking}, with its output and its
   * {@code --trace}; returns the exit code.
   */
  int execute(CommandLine asking, List<String> line);
}
