package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.daemon.Replication;
import org.millrace.daemon.Server;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace coordinators}: the members of a group of coordinators. Used by one thread. */
@Command(
    name = "coordinators",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "List the coordinators of a cluster that has several, or replace one that is lost.",
      "",
      "replace K starts another coordinator and lets it take the place of number K, under a number"
          + " that none has had; most of the old ones must be there. With --peers and --clients the new one"
          + " is on another host: run millrace coordinator --member N --new-member joins there first, with"
          + " the file D/coordinators that this command prints."
    })
public final class CoordinatorsCommand implements Callable<Integer> {

  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long PAUSE_NANOS = 100_000_000L;

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Parameters(
      arity = "0..2",
      paramLabel = "replace K",
      description = "Let another take the place of coordinator K.")
  private List<String> what = List.of();

  @Option(
      names = "--peers",
      paramLabel = "HOST:PORT",
      description = "Where the others reach the new one, if it is on another host.")
  private @Nullable String peers;

  @Option(
      names = "--clients",
      paramLabel = "ADDRESS",
      description = "Where clients reach the new one, if it is on another host.")
  private @Nullable String clients;

  @Override
  public Integer call() throws IOException, InterruptedException {
    DaemonOptions.Settings settings = options.settings();
    if (what.size() == 2 && what.get(0).equals("replace") && what.get(1).matches("[0-9]{1,6}")) {
      return replace(settings, Integer.parseInt(what.get(1)));
    }
    if (!what.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "say coordinators, or coordinators replace K");
    }
    PrintWriter out = spec.commandLine().getOut();
    group(settings.directory()).members().forEach(out::println);
    return ExitCode.OK;
  }

  private static CoordinatorGroup group(Path directory) throws IOException {
    return CoordinatorGroup.read(directory)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.INVALID,
                    "the cluster in %s has one coordinator alone; a new one with several is made by"
                            .formatted(directory)
                        + " millrace up --coordinators 3"));
  }

  private int replace(DaemonOptions.Settings settings, int lost)
      throws IOException, InterruptedException {
    Path directory = settings.directory();
    CoordinatorGroup before = group(directory);
    if (before.member(lost).isEmpty()) {
      throw new ParameterException(spec.commandLine(), "there is no coordinator " + lost);
    }
    if ((peers == null) != (clients == null)) {
      throw new ParameterException(spec.commandLine(), "give both --peers and --clients, or none");
    }
    Replication engine = Replication.require();
    Daemons daemons = new Daemons(directory);
    CoordinatorGroup.Member fresh = fresh(directory, before);
    int number = fresh.number();
    List<CoordinatorGroup.Member> both = new ArrayList<>(before.members());
    both.removeIf(one -> one.number() == number);
    both.add(fresh);
    CoordinatorGroup after =
        new CoordinatorGroup(both.stream().filter(one -> one.number() != lost).toList());
    new CoordinatorGroup(both).write(directory); // the new one finds itself there
    try (StartedDaemons started = new StartedDaemons(daemons)) {
      if (peers == null) {
        start(daemons, started, settings, fresh);
      }
      var asked =
          new Replication.Membership(
              Server.clusterOfMembers(directory),
              before,
              lost,
              Members.keys(settings, directory),
              directory,
              Server.Beginning.NONE);
      engine.change(asked, after);
      after.write(directory);
      started.keep();
    } catch (IOException | RuntimeException e) {
      before.write(directory);
      throw e;
    }
    end(daemons, lost);
    spec.commandLine()
        .getOut()
        .printf(
            "Coordinator %s has taken the place of %s; copy %s to the hosts of all coordinators%n",
            number, lost, directory.resolve(CoordinatorGroup.FILE));
    return ExitCode.OK;
  }

  /** The new one; of another host it may be listed already, so that the others know that host. */
  private CoordinatorGroup.Member fresh(Path directory, CoordinatorGroup before)
      throws IOException {
    if (peers == null || clients == null) {
      return Members.local(directory, before.nextNumber());
    }
    String where = peers;
    int number =
        before.members().stream()
            .filter(one -> one.peers().equals(where))
            .findFirst()
            .map(CoordinatorGroup.Member::number)
            .orElseGet(before::nextNumber);
    return new CoordinatorGroup.Member(number, where, Address.parse(clients));
  }

  /** Starts the new one, and waits until it can be reached. */
  private static void start(
      Daemons daemons,
      StartedDaemons started,
      DaemonOptions.Settings settings,
      CoordinatorGroup.Member fresh)
      throws IOException, InterruptedException {
    List<String> args = new ArrayList<>(List.of(Daemons.COORDINATOR));
    args.addAll(settings.asOptions(false));
    args.addAll(
        List.of(
            "--nodes",
            "" + daemons.nodesOfCluster().orElse(UpCommand.DEFAULT_NODES),
            "--member",
            "" + fresh.number(),
            "--new-member=joins"));
    started.start(fresh.name(), args);
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (daemons.process(fresh.name()).isEmpty()) {
      if (!started.ended().isEmpty() || env.nanoTime() > deadline) {
        throw new IOException(
            "%s did not start: %s; all of its log is in %s"
                .formatted(
                    fresh.name(),
                    String.join("; ", daemons.tail(fresh.name())),
                    daemons.log(fresh.name())));
      }
      env.sleep(PAUSE_NANOS);
    }
  }

  /** The lost one may still run, for example because it cannot be reached. */
  private static void end(Daemons daemons, int lost) throws IOException {
    String name = CoordinatorGroup.nameOf(lost);
    Optional<ProcessHandle> process = daemons.process(name);
    if (process.isPresent()) {
      StopCommand.askToEnd(name, process.get());
    } else {
      daemons.forget(name);
    }
  }
}
