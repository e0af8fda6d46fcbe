package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.env.Env;
import org.millrace.sim.rot.RotCampaign;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace campaign rot}. Used by one thread. */
@Command(
    name = "rot",
    description = {
      "Mutate the files of a small cluster: flipped bits, zeroed and swapped sectors, older copies,"
          + " truncations, deleted files.",
      "After each mutation the cluster is started, and every name and every byte is compared with"
          + " what was written. Each must be right, or refused with an error that names it. The exit"
          + " code is 1 if one is neither, or if too little happened to tell."
    })
final class RotCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "What the mutations are drawn from (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--mutations",
      paramLabel = "N",
      description = "How many (default: ${DEFAULT-VALUE}).")
  private long mutations = 10_000;

  @Option(
      names = "--dir",
      paramLabel = "D",
      description = "Where to make the clusters (default: a new folder for temporary files).")
  private @Nullable Path directory;

  @Option(
      names = "--plant",
      paramLabel = "NAME",
      description = "Plant a bug, which must be found: unverified, checksums are not compared.")
  private @Nullable String plant;

  @Override
  public Integer call() throws IOException {
    if (mutations < 1) {
      throw new ParameterException(spec.commandLine(), "--mutations must be at least 1");
    }
    if (plant != null && !plant.equals("unverified")) {
      throw new ParameterException(spec.commandLine(), "--plant knows unverified, not " + plant);
    }
    Logger.getLogger("org.millrace").setLevel(Level.OFF); // what is reported is counted
    Path given = directory;
    Path place = Files.createTempDirectory(given == null ? temporary() : made(given), "rot");
    try {
      return run(place);
    } finally {
      delete(place);
    }
  }

  private static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
  }

  private static Path made(Path given) throws IOException {
    return Files.createDirectories(given);
  }

  private int run(Path place) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    RotCampaign.Result result;
    try (ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            Env.real(),
            ProgressBar.terminalColumns(),
            "campaign rot",
            mutations)) {
      result = new RotCampaign(seed, mutations, place, plant == null, _ -> bar.advance(1)).run();
    }
    result
        .kinds()
        .forEach((kind, ends) -> out.println(kind + ": " + ends.toString().replaceAll("[{}]", "")));
    result.failures().forEach(failure -> out.println("WRONG: " + failure));
    result.missing().ifPresent(what -> out.println("too little happened: " + what));
    out.printf(
        "seed %d: %d mutations, each followed by a start and a look at everything%n",
        seed, result.mutations());
    out.printf(
        "%d clusters all right, %d reported damage and were right otherwise; %d bytes compared, %d"
            + " errors, %d of them naming bytes of a file%n",
        result.right(), result.reported(), result.bytes(), result.reports(), result.named());
    out.printf("%d clusters with wrong bytes or wrong names%n", result.wrong());
    out.flush();
    return result.isPassed() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path one, @Nullable IOException failure)
              throws IOException {
            Files.delete(one);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
