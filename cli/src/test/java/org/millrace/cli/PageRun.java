package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.daemons.Launching;

/**
 * Does what a page says, from its first line to its last, in an empty folder: programs become
 * files, commands run, and what their comments say is checked: {@code prints TEXT}, {@code writes
 * FILE} and {@code fails: TEXT}. Used by one thread; closing ends the daemons that were started.
 */
final class PageRun implements AutoCloseable {

  private static final Pattern PRINTS = Pattern.compile("prints (.+)$");
  private static final Pattern WRITES = Pattern.compile("writes (\\S+)$");
  private static final Pattern FAILS = Pattern.compile("fails: (.+)$");

  private final Path folder;
  private final boolean openMpi;
  private final boolean numpy;
  private final boolean h5py;
  private int commands;

  PageRun(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    Path script = folder.resolve("millrace");
    List<String> words = JavaCommand.of(List.of()).stream().map(word -> "'" + word + "'").toList();
    String behind = String.join(" ", words.subList(1, words.size()));
    Files.writeString(
        script,
        "#!/bin/sh\nexec %s $MILLRACE_JAVA_OPTS %s \"$@\"\n".formatted(words.getFirst(), behind));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    openMpi = shell("mpirun --version").out().contains("Open MPI");
    numpy = shell("python3 -c 'import numpy'").exitCode() == 0;
    h5py = numpy && shell("python3 -c 'import h5py'").exitCode() == 0;
  }

  /** How many commands were run. */
  int commands() {
    return commands;
  }

  void run(Page page) throws IOException, InterruptedException {
    StringBuilder printed = new StringBuilder();
    for (Page.Block block : page.blocks()) {
      switch (block.kind()) {
        case "java" -> writeProgram(block.text());
        case "sh" -> {
          printed.setLength(0);
          for (String line : block.lines()) {
            Step step = Step.of(line);
            if (isPossible(step)) {
              printed.append(check(step));
              commands++;
            } else if (!step.line().isEmpty()) {
              System.out.println("skipped, what it needs is not installed: " + step.line());
            }
          }
        }
        case "text" -> checkShown(block, printed.toString());
        default -> {} // figures, formats, and what cannot be run here
      }
    }
  }

  /** Fragments of programs are for readers. */
  private void writeProgram(String text) throws IOException {
    Matcher name = Pattern.compile("public final class (\\w+)").matcher(text);
    if (name.find()) {
      Files.writeString(folder.resolve(name.group(1) + ".java"), text);
    }
  }

  /** What is shown stands in what was printed; three dots are anything. */
  private static void checkShown(Page.Block block, String printed) {
    for (String line : block.lines()) {
      String[] parts = line.strip().split("\\.\\.\\.", -1);
      String pattern = String.join(".*", List.of(parts).stream().map(Pattern::quote).toList());
      assertThat(printed).containsPattern("(?m)^\\s*" + pattern + "\\s*$");
    }
  }

  private boolean isPossible(Step step) {
    return !step.line().isEmpty()
        && !step.line().startsWith("mvn ") // the build would run this test again
        && (openMpi || !step.line().startsWith("mpirun "))
        && (numpy || !step.line().startsWith("python3 "))
        && (h5py || !step.line().contains("h5py"));
  }

  /** Returns what was printed. */
  private String check(Step step) throws IOException, InterruptedException {
    CommandLineRun run = shell(step.line());
    Optional<String> failure = match(FAILS, step.comment());
    String printed = run.out() + run.err();
    if (failure.isPresent()) {
      assertThat(run.exitCode()).as("%s: %s", step, printed).isNotZero();
      assertThat(printed).as("%s", step).contains(failure.get());
    } else {
      assertThat(run.exitCode()).as("%s: %s", step, printed).isZero();
    }
    match(PRINTS, step.comment())
        .ifPresent(text -> assertThat(run.out()).as("%s", step).contains(text));
    match(WRITES, step.comment())
        .ifPresent(file -> assertThat(folder.resolve(file)).as("%s", step).isNotEmptyFile());
    return printed;
  }

  private static Optional<String> match(Pattern pattern, String comment) {
    Matcher matcher = pattern.matcher(comment);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /**
   * A command of a page.
   *
   * @param line for a shell
   * @param comment what is said of it
   */
  private record Step(String line, String comment) {

    static Step of(String text) {
      String[] parts = text.split("\\s+# ", 2);
      return new Step(parts[0].strip(), parts.length == 1 ? "" : parts[1].strip());
    }
  }

  /** Runs a line as somebody would who has just built Millrace. */
  private CommandLineRun shell(String line) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    String here = line.replace("target/app/*", System.getProperty("java.class.path"));
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", here)
            .directory(folder.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(Launching::isLaunchers);
    builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
    builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    Path java = Path.of(System.getProperty("java.home"), "bin");
    builder.environment().merge("PATH", java.toString(), (path, first) -> first + ":" + path);
    int code = builder.start().waitFor();
    return new CommandLineRun(
        code,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    try {
      shell("./millrace stop; [ ! -d D ] || ./millrace stop --dir D"); // D is that of the pages
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while daemons were stopped");
    }
  }
}
