package org.millrace.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.program.HeritageProgram;
import org.millrace.heritage.program.HeritagePrograms;
import org.millrace.heritage.program.Stage;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code millrace run heritage/NAME}: a program that shows one of the old systems and checks what
 * it shows. Used by one thread, its output by the ranks in turn.
 */
@Command(descriptionHeading = "%n", optionListHeading = "%nOptions:%n")
public final class HeritageCommand implements Callable<Integer> {

  static final String PREFIX = "heritage/";
  private static final Path DEFAULT_DIRECTORY = Path.of(".millrace", "heritage");

  @Spec private CommandSpec spec;

  @ParentCommand private RunCommand run;

  @Option(
      names = "--svg",
      paramLabel = "DIR",
      description = "Also draw the pictures as SVG files in this folder.")
  private @Nullable Path svg;

  @Parameters(
      paramLabel = "ARGS",
      arity = "0..*",
      description = "Arguments of the program, behind --; most take none.")
  private List<String> arguments = List.of();

  private final HeritageProgram program;

  private HeritageCommand(HeritageProgram program) {
    this.program = program;
  }

  /** Makes every system's program a subcommand of {@code run}. */
  public static void addTo(CommandLine run) {
    for (HeritageProgram program : HeritagePrograms.all()) {
      CommandLine line = new CommandLine(new HeritageCommand(program));
      line.getCommandSpec().usageMessage().description(program.about());
      if (!program.usage().isEmpty()) {
        String[] lines = ("%nARGS, behind --: " + program.usage()).split("\n", -1);
        line.getCommandSpec().usageMessage().footer(lines);
      }
      run.addSubcommand(PREFIX + program.name(), line);
    }
  }

  /** All names, for people. */
  static String names() {
    return HeritagePrograms.all().stream()
        .map(HeritageProgram::name)
        .collect(Collectors.joining(", "));
  }

  @Override
  public Integer call() throws Exception {
    if (!arguments.isEmpty() && program.usage().isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), PREFIX + program.name() + " takes no arguments: " + arguments);
    }
    if (run.startsProcesses()) {
      return run.startProcesses(DEFAULT_DIRECTORY);
    }
    RunMode mode = run.mode(DEFAULT_DIRECTORY);
    PrintWriter out = spec.commandLine().getOut();
    if (mode.hasRankZero()) {
      out.printf(
          "%s: %s%n%s ranks over %s nodes in %s%n",
          program.name(), program.about(), mode.ranks(), mode.nodes(), mode.place());
    }
    Pictures pictures = new Pictures(out, program.name(), Optional.ofNullable(svg));
    mode.run(ClusterOptions.DEFAULT, rank -> runAs(rank, pictures));
    return ExitCode.OK;
  }

  private void runAs(Rank rank, Stage.Output output) throws IOException {
    Stage stage = new Stage(rank, output);
    program.run(rank, stage, arguments);
    rank.barrier();
    stage.say("%s: all is as it should be, %s checks", program.name(), stage.checks());
  }

  /** Lines to the terminal, pictures to files if these are wanted. Used by rank 0's thread. */
  private record Pictures(PrintWriter out, String name, Optional<Path> folder)
      implements Stage.Output {

    @Override
    public void line(String text) {
      out.println(text);
    }

    @Override
    public void picture(String title, String svg) throws IOException {
      if (folder.isPresent()) {
        String words = title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        Path file = folder.get().resolve(name + "-" + words.replaceAll("^-|-$", "") + ".svg");
        Files.createDirectories(folder.get());
        Files.writeString(file, svg);
        out.println("  drawn in " + file);
      }
    }
  }
}
