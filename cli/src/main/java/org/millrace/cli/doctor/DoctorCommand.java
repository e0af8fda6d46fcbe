package org.millrace.cli.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.millrace.cli.terminal.Colour;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.ClusterLocation;
import org.millrace.env.Env;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace doctor}: checks this machine. Used by one thread. */
@Command(
    name = "doctor",
    description = {
      "Check whether this machine has what Millrace needs, and say what to change.",
      "warn: it works, but something is slower, missing or not as safe. fail: it does not work;"
          + " then the exit code is 1."
    })
public final class DoctorCommand implements Callable<Integer> {

  private static final long PATIENCE_SECONDS = 5;

  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "D",
      description = "Folder on the disk to check (default: ${DEFAULT-VALUE}).")
  private Path dir = ClusterLocation.DEFAULT_DIRECTORY;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Finding> all = new ArrayList<>(new SystemChecks(Host.here()).all());
    all.addAll(new DiskChecks(Env.real()).all(dir));
    all.add(namespaces());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.of(
              all.stream()
                  .map(
                      one ->
                          Json.object(
                              "topic",
                              one.topic(),
                              "level",
                              word(one),
                              "found",
                              one.found(),
                              "advice",
                              one.advice()))
                  .toList()));
    } else {
      all.forEach(one -> print(out, one));
    }
    boolean fails = all.stream().anyMatch(one -> one.level() == Finding.Level.FAIL);
    return fails ? ExitCode.FAILED : ExitCode.OK;
  }

  private static void print(PrintWriter out, Finding one) {
    Colour colour =
        switch (one.level()) {
          case OK -> Colour.GOOD;
          case WARN -> Colour.WARNING;
          case FAIL -> Colour.BAD;
        };
    out.println(
        "%s  %-14s %s".formatted(colour.of("%-4s".formatted(word(one))), one.topic(), one.found()));
    if (!one.advice().isEmpty()) {
      out.println(" ".repeat(21) + one.advice());
    }
  }

  private static String word(Finding one) {
    return one.level().name().toLowerCase(Locale.ROOT);
  }

  /** Hosts of their own, for tests and campaigns between hosts that are only one. */
  private static Finding namespaces() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("unshare", "--user", "--map-root-user", "--net", "true")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
        return Finding.ok("namespaces", "of users and networks can be made");
      }
      process.destroyForcibly();
    } catch (IOException e) {
      // no such command: the same as no such right
    }
    return Finding.warn(
        "namespaces",
        "of networks cannot be made",
        "only campaign network and tests between hosts need them: run as root, or sysctl"
            + " user.max_user_namespaces=1000");
  }
}
