package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.sim.rot.RotCampaign;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Mixin private CampaignOptions options;

  @Option(
      names = "--mutations",
      paramLabel = "N",
      description = "How many; the whole campaign has 10,000, which is the default.")
  private int mutations = 10_000;

  @Option(
      names = "--plant",
      paramLabel = "NAME",
      description = "Plant a bug, which must be found: unverified, checksums are not compared.")
  private @Nullable String plant;

  @Override
  public Integer call() throws IOException {
    options.require("--mutations", mutations);
    if (plant != null && !plant.equals("unverified")) {
      throw new ParameterException(spec.commandLine(), "--plant knows unverified, not " + plant);
    }
    Logger.getLogger("org.millrace").setLevel(Level.OFF); // what is reported is counted
    long seed = options.seed();
    Path place = options.workFolder();
    try {
      return run(seed, place);
    } finally {
      PoweredCluster.remove(place);
    }
  }

  private int run(long seed, Path place) throws IOException {
    RotCampaign.Result result;
    try (ProgressBar bar = options.bar(mutations)) {
      result = new RotCampaign(seed, mutations, place, plant == null, _ -> bar.advance(1)).run();
    }
    PrintWriter out = options.out();
    result
        .kinds()
        .forEach((kind, ends) -> out.println(kind + ": " + ends.toString().replaceAll("[{}]", "")));
    result.failures().forEach(failure -> out.println("WRONG: " + failure));
    result.missing().ifPresent(what -> out.println("too little happened: " + what));
    out.printf(
        "%s mutations, each followed by a start and a look at everything%n", result.mutations());
    out.printf(
        "%s clusters all right, %s reported damage and were right otherwise; %s bytes compared, %s"
            + " errors, %s of them naming bytes of a file%n",
        result.right(), result.reported(), result.bytes(), result.reports(), result.named());
    out.printf("%s clusters with wrong bytes or wrong names%n", result.wrong());
    out.flush();
    return result.isPassed() ? ExitCode.OK : ExitCode.FAILED;
  }
}
