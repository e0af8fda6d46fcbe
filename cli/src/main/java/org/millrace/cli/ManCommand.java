package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace man}: manual pages. Used by one thread. */
@Command(
    name = "man",
    description = "Write a manual page for each command into a folder.",
    footer = {
      "",
      "To read one:  man -l FOLDER/millrace-put.1",
      "To have all:  millrace man ~/.local/share/man/man1, then man millrace-put"
    })
final class ManCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FOLDER", description = "Where to; made if it does not exist.")
  private Path folder = Path.of(".");

  @Override
  public Integer call() throws IOException {
    CommandLine line = spec.commandLine();
    CommandLine all = Main.commandLine(line.getOut(), line.getErr());
    Map<String, String> pages = ManPage.all(all, MillraceCommand.Version.number());
    Files.createDirectories(folder);
    for (Map.Entry<String, String> one : pages.entrySet()) {
      Files.writeString(folder.resolve(one.getKey()), one.getValue());
    }
    line.getOut().println(pages.size() + " pages in " + folder);
    return ExitCode.OK;
  }
}
