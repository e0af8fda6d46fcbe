package org.millrace.cli.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.micro.FilesBenchmark;
import org.millrace.bench.micro.HandlesBenchmark;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench files}: small files a second. Used by one thread. */
@Command(
    name = "files",
    description = {
      "Small files a second, made by many ranks at once in a cluster of four nodes in this"
          + " process, or in a running one: each one closed, which makes it durable; and all kept"
          + " open, with a flush of the last one.",
      "Then what a program that is no rank does with as many: opens, reads and closes them, asks"
          + " about them, and lists them, with one thread.",
      "All files are read and compared afterwards. Under ulimit -n 1024 and with --files 100000 it",
      "shows that few descriptors are enough."
    })
final class FilesCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = ".millrace/bench",
      description = "Folder on the disk to measure (default: ${DEFAULT-VALUE}).")
  private Path dir = Path.of(".millrace/bench");

  @Option(
      names = "--connect",
      paramLabel = "PLACE",
      description =
          "Measure the running cluster in a directory or at an address instead, which is in other"
              + " processes.")
  private @Nullable String place;

  @Option(names = "--ranks", paramLabel = "P", defaultValue = "64", description = "Ranks (64).")
  private int ranks = 64;

  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Files (10000).")
  private int files = 10_000;

  @Option(
      names = "--bytes",
      paramLabel = "B",
      defaultValue = "100",
      description = "Bytes of each (100).")
  private int bytes = 100;

  @Option(
      names = "--laps",
      paramLabel = "L",
      defaultValue = "4",
      description = "How often (4); in the first lap the JVM compiles.")
  private int laps = 4;

  @Override
  public Integer call() throws IOException {
    if (ranks < 1 || files < ranks || bytes < 1 || laps < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "at least one rank, one file for each rank, one byte and one lap are needed");
    }
    FilesBenchmark here = new FilesBenchmark(Env.real(), dir, ranks, files, bytes, laps);
    for (var result : (place == null ? here : here.at(place)).run()) {
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "%s files of %s bytes by %s ranks, %s: %.0f files/s (first lap %.0f)%n",
              result.files(),
              bytes,
              ranks,
              result.what(),
              result.warm(),
              result.first());
    }
    var handles =
        new HandlesBenchmark(Env.real(), dir, files, bytes, laps, Optional.ofNullable(place));
    for (var result : handles.run()) {
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "%s files of %s bytes by a program that is no rank, %s: %.0f files/s (first lap"
                  + " %.0f)%n",
              result.files(),
              bytes,
              result.what(),
              result.warm(),
              result.first());
    }
    return ExitCode.OK;
  }
}
