package org.millrace.cli.sim;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.env.Env;
import org.millrace.sim.hunt.Campaign;
import org.millrace.sim.hunt.Occurrence;
import org.millrace.sim.hunt.Plant;
import org.millrace.sim.hunt.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace sim hunt}. Used by one thread. */
@Command(
    name = "hunt",
    description = {
      "Hunt for bugs: run random programs of several ranks on the real code, with faults.",
      "Each seed is a separate cluster in simulated time, with delays, resets, crashes, failing and"
          + " full disks, torn writes and corruption. Checkers compare the results with a model. The"
          + " exit code is 1 if they find a violation."
    })
final class SimHuntCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "How many seeds to run, from --first on (default: ${DEFAULT-VALUE}).")
  private long seeds = 100;

  @Option(
      names = "--first",
      paramLabel = "S",
      description = "The first seed (default: ${DEFAULT-VALUE}).")
  private long first = 1;

  @Option(names = "--seed", paramLabel = "S", description = "Run this seed alone.")
  private @Nullable Long seed;

  @Option(
      names = "--story",
      paramLabel = "N",
      description =
          "How many of the last events of a failing seed to print (default: ${DEFAULT-VALUE}).")
  private int story = 25;

  @Option(
      names = "--failures",
      paramLabel = "N",
      description = "Stop after this many failing seeds (default: ${DEFAULT-VALUE}).")
  private int maxFailures = 3;

  @Option(
      names = "--plant",
      paramLabel = "NAME",
      description = "Plant a bug, which the hunt should find; an unknown name lists them.")
  private @Nullable String planted;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Seeds at the same time (default: one for each processor).")
  private int workers = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--schedules",
      paramLabel = "FOLDER",
      description =
          "Write the scheduler's choices for each seed to a file in this folder, so that two runs of"
              + " one seed can be compared.")
  private @Nullable Path schedules;

  @Override
  public Integer call() {
    if (seeds < 1 || workers < 1) {
      throw new ParameterException(spec.commandLine(), "--seeds and --workers must be at least 1");
    }
    Optional<Plant> plant = Optional.ofNullable(planted).map(this::plant);
    Long one = seed;
    Logger notices = Logger.getLogger("org.millrace");
    notices.setLevel(Level.OFF); // ranks that die leave files open, here by the hundred
    return one == null ? hunt(first, seeds, plant) : hunt(one, 1, plant);
  }

  private Plant plant(String name) {
    try {
      return Plant.parse(name);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int hunt(long from, long count, Optional<Plant> plant) {
    PrintWriter out = spec.commandLine().getOut();
    AtomicLong events = new AtomicLong();
    AtomicLong nanos = new AtomicLong();
    AtomicLong hash = new AtomicLong();
    Map<String, Long> counts = new TreeMap<>();
    List<Verdict> failures;
    try (ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            Env.real(),
            ProgressBar.terminalColumns(),
            "sim hunt",
            count)) {
      bar.advance(0);
      Campaign campaign =
          new Campaign(
              from,
              count,
              plant,
              maxFailures,
              verdict -> {
                events.addAndGet(verdict.events());
                nanos.addAndGet(verdict.virtualNanos());
                hash.addAndGet(verdict.traceHash()); // in whatever order they end
                verdict.counts().forEach((what, times) -> counts.merge(what, times, Long::sum));
                if (!verdict.isClean()) {
                  tell(out, verdict, plant);
                }
                bar.advance(1);
              },
              Optional.ofNullable(schedules));
      failures = campaign.run((int) Math.min(workers, count));
    }
    if (failures.isEmpty()) {
      out.printf(
          Locale.ROOT,
          "%s seed%s clean: %,d calls and faults in %,d s of virtual time, trace hash %016x%n",
          count,
          count == 1 ? "" : "s",
          events.get(),
          nanos.get() / 1_000_000_000L,
          hash.get());
      for (Occurrence kind : Occurrence.values()) {
        summarize(out, kind, counts);
      }
    }
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void summarize(PrintWriter out, Occurrence kind, Map<String, Long> counts) {
    String prefix = kind.word() + " ";
    List<String> all =
        counts.entrySet().stream()
            .filter(count -> count.getKey().startsWith(prefix))
            .map(
                count ->
                    String.format(
                        Locale.ROOT,
                        "%s %,d",
                        count.getKey().substring(prefix.length()),
                        count.getValue()))
            .toList();
    out.printf("  %ss: %s%n", kind.word(), all.isEmpty() ? "none" : String.join(", ", all));
  }

  private void tell(PrintWriter out, Verdict verdict, Optional<Plant> plant) {
    List<String> events = verdict.story();
    int shown = Math.min(story, events.size());
    out.printf("seed %s: %s%n", verdict.seed(), verdict.failure().orElse(""));
    out.println("  what happened last, in virtual time:");
    events.subList(events.size() - shown, events.size()).forEach(line -> out.println("  " + line));
    out.printf("  trace hash %016x%n", verdict.traceHash());
    out.printf(
        "  run it again: millrace sim hunt --seed %s%s%n",
        verdict.seed(), plant.map(bug -> " --plant " + bug.word()).orElse(""));
    out.flush();
  }
}
