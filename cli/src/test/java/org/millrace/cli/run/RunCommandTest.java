package org.millrace.cli.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.Cluster;
import org.millrace.Millrace;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Main;
import org.millrace.cli.daemons.Daemons;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

final class RunCommandTest {

  @TempDir private Path folder;

  @Test
  void classRunsWithItsArgumentsEvenIfTheyLookLikeOptions() throws IOException {
    Path file = folder.resolve("arguments");
    CommandLineRun run =
        CommandLineRun.of(
            "run",
            "--ranks",
            "3",
            WritesArguments.class.getName(),
            file.toString(),
            "--ranks",
            "x");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readAllLines(file)).containsExactly("--ranks", "x", "3 ranks");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void propertiesAreSetForTheProgram() {
    String name = "millrace.test.city";
    try {
      CommandLineRun run =
          CommandLineRun.of(
              "run",
              WritesArguments.class.getName(),
              "-D" + name + "=Bonn",
              folder.resolve("arguments").toString());
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(System.getProperty(name)).isEqualTo("Bonn");
    } finally {
      System.clearProperty(name);
    }
  }

  @Test
  void optionsOfTheJvmNeedTheLauncher() {
    CommandLineRun run = CommandLineRun.of("run", "-J-Xmx1g", "heat");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("-Xmx1g comes too late");
  }

  @Test
  void jarRunsByItsManifest() throws IOException {
    Path file = folder.resolve("arguments");
    Path jar = jarWith(WritesArguments.class.getName());
    CommandLineRun run = CommandLineRun.of("run", jar.toString(), file.toString(), "a", "b");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readAllLines(file)).containsExactly("a", "b", "4 ranks");
  }

  @Test
  void classOfAJarMayBeNamed() throws IOException {
    Path file = folder.resolve("arguments");
    Path jar = jarWith("no.such.Program");
    String name = WritesArguments.class.getName();
    CommandLineRun run =
        CommandLineRun.of("run", "--class", name, jar.toString(), file.toString(), "a");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readAllLines(file)).containsExactly("a", "4 ranks");
    CommandLineRun absent = CommandLineRun.of("run", "--class", "no.such.Class", jar.toString());
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.err()).matches("millrace: no.such.Class: not in .*jar\\R");
  }

  @Test
  void programIsRunByAllRanksWithItsArguments() throws IOException {
    Path file = folder.resolve("ranks");
    CommandLineRun run =
        CommandLineRun.of(
            "run",
            "--ranks=3",
            "--nodes=2",
            "--dir=" + folder.resolve("data"),
            CountsRanks.class.getName(),
            file.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readString(file)).isEqualTo("3 ranks, sum of numbers 3");
  }

  @Test
  void aClusterKeepsItsNodesUnlessMoreAreAskedFor() throws IOException {
    Path data = folder.resolve("data");
    Cluster.embedded(data, 2).close();
    for (String program : List.of(Idle.class.getName(), HasMain.class.getName())) {
      CommandLineRun run = CommandLineRun.of("run", "--dir", data.toString(), program);
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(new Daemons(data).nodesOfCluster()).as(program).contains(2);
    }
    CommandLineRun.of("run", "--dir", data.toString(), "--nodes", "3", HasMain.class.getName());
    assertThat(new Daemons(data).nodesOfCluster()).contains(3);
  }

  @Test
  void programWithoutConstructorForArgumentsSaysSo() {
    CommandLineRun run =
        CommandLineRun.of(
            "run", "--dir=" + folder.resolve("data"), Idle.class.getName(), "argument");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).matches("millrace: .*Idle takes no arguments, but 1 was given; .*\\R");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run --ranks 3 --dir d example --size 7",
        "run example --ranks 3 --size 7 --dir d",
        "run --dir d example --size 7 --ranks 3"
      })
  void exampleTakesTheOptionsOfRunOnBothSidesOfItsName(String line) {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine(new PrintWriter(out), new PrintWriter(out));
    requireNonNull(commandLine.getSubcommands().get("run"))
        .addSubcommand("example", new AnExample());
    assertThat(commandLine.execute(line.split(" "))).as(out.toString()).isZero();
    assertThat(out.toString()).isEqualTo("3 ranks, 4 nodes, size 7, data d");
  }

  @Test
  void failureIsOneLineWithoutTrace() {
    CommandLineRun run = CommandLineRun.of("run", Fails.class.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .matches("millrace: IllegalStateException: first line; second line .*--trace.*\\R");
  }

  @Test
  void failureComesWithTraceIfAsked() {
    CommandLineRun run = CommandLineRun.of("run", "--trace", Fails.class.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("\tat " + Fails.class.getName() + ".main");
  }

  @Test
  void errorIsReportedLikeAnException() {
    CommandLineRun run = CommandLineRun.of("run", FailsBadly.class.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).matches("millrace: StackOverflowError .*\\R");
  }

  @Test
  void interruptHasItsOwnExitCode() {
    CommandLineRun run = CommandLineRun.of("run", IsInterrupted.class.getName());
    assertThat(run.exitCode()).isEqualTo(130);
    assertThat(run.err()).isEqualToNormalizingNewlines("millrace: interrupted\n");
  }

  @Test
  void missingProgramsAreNamed() throws IOException {
    Path noMain = jarWith("no.such.Program");
    Path noManifest = folder.resolve("plain.jar");
    try (OutputStream out = Files.newOutputStream(noManifest)) {
      new JarOutputStream(out).close();
    }
    for (String program :
        List.of(
            "no.such.Program",
            folder.resolve("absent.jar").toString(),
            noMain.toString(),
            noManifest.toString(),
            RunCommandTest.class.getName())) {
      CommandLineRun run = CommandLineRun.of("run", program);
      assertThat(run.exitCode()).as(program).isEqualTo(1);
      assertThat(run.err()).matches("millrace: .*\\R").contains(program);
    }
  }

  private Path jarWith(String mainClass) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
    Path jar = folder.resolve(mainClass + ".jar");
    String entry = WritesArguments.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        InputStream in = RunCommandTest.class.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      assertThat(in).isNotNull();
      in.transferTo(out);
    }
    return jar;
  }

  /** Writes the arguments after the first into the file that the first names. */
  static final class WritesArguments {

    public static void main(String[] args) throws IOException {
      String all = String.join("\n", List.of(args).subList(1, args.length));
      Files.writeString(
          Path.of(args[0]), all + "\n" + System.getProperty("millrace.ranks") + " ranks\n");
    }

    private WritesArguments() {}
  }

  /** Writes what the ranks know together into the file that the argument names. */
  static final class CountsRanks implements Program {

    private final Path file;

    CountsRanks(String[] args) {
      file = Path.of(args[0]);
    }

    @Override
    public void run(Rank rank) throws IOException {
      long sum = rank.allGather((long) rank.number()).stream().mapToLong(Long::longValue).sum();
      if (rank.number() == 0) {
        Files.writeString(file, rank.size() + " ranks, sum of numbers " + sum);
      }
    }
  }

  /** How a built-in example looks. */
  @Command
  static final class AnExample implements Callable<Integer> {

    @ParentCommand private RunCommand run;

    @Spec private CommandSpec spec;

    @Option(names = "--size")
    private int size;

    @Override
    public Integer call() throws IOException {
      PrintWriter out = spec.root().commandLine().getOut();
      RunMode mode = run.mode(Path.of("unused"));
      out.printf(
          "%d ranks, %d nodes, size %d, data %s",
          mode.ranks(), mode.nodes(), size, run.directory().orElseThrow());
      out.flush();
      return 0;
    }
  }

  /** Does nothing and takes no arguments. */
  static final class Idle implements Program {

    @Override
    public void run(Rank rank) {}
  }

  /** Runs as programs do that have a main. */
  static final class HasMain {

    public static void main(String[] args) throws IOException {
      Millrace.run(Rank::barrier);
    }

    private HasMain() {}
  }

  /** Throws with a message of two lines. */
  static final class Fails {

    public static void main(String[] args) {
      throw new IllegalStateException("first line\nsecond line");
    }

    private Fails() {}
  }

  /** Throws what is no exception. */
  static final class FailsBadly {

    public static void main(String[] args) {
      throw new StackOverflowError();
    }

    private FailsBadly() {}
  }

  /** Ends as a program ends that was interrupted while it waited. */
  static final class IsInterrupted {

    public static void main(String[] args) throws InterruptedException {
      throw new InterruptedException();
    }

    private IsInterrupted() {}
  }
}
