package org.millrace.cli;

import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace completion}: the script for a shell. Used by one thread. */
@Command(
    name = "completion",
    description = "Print a script by which a shell completes commands, options and file names.",
    footer = {
      "",
      "bash: put this into ~/.bashrc:  source <(millrace completion bash)",
      "zsh:  put this into ~/.zshrc:   source <(millrace completion zsh)",
      "",
      "Names of files in the cluster are completed, too, which takes a moment."
    })
final class CompletionCommand implements Callable<Integer> {

  /** Shells that are known. */
  enum ShellName {
    /** GNU's. */
    bash,
    /** The Z shell. */
    zsh
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  private ShellName shell = ShellName.bash;

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    CommandLine all = Main.commandLine(line.getOut(), line.getErr());
    line.getOut()
        .print(
            switch (shell) {
              case bash -> CompletionScript.bash(all);
              case zsh -> CompletionScript.zsh(all);
            });
    line.getOut().flush();
    return ExitCode.OK;
  }
}
