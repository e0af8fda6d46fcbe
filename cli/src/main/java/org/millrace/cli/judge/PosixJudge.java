package org.millrace.cli.judge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.bench.measure.Scratch;
import org.millrace.cli.mount.TrialMount;
import org.millrace.mount.Mount;

/**
 * Programs that others wrote, on a mount of a cluster of two nodes. Each is one test; of pjdfstest
 * each of its files is. Immutable.
 *
 * @param tools what is there beside what is installed
 */
record PosixJudge(PosixTools tools) implements Judge {

  private static final int NODES = 2;
  private static final int LONGEST_SECONDS = 3600;

  /** A line of prove: a file, dots, and how it ended. */
  private static final Pattern PROVED = Pattern.compile("(\\S+/tests/)?(\\S+\\.t) \\.+ ?(.*)");

  /** A line of prove's summary, which the numbers of failed checks follow. */
  private static final Pattern SUMMED =
      Pattern.compile("(\\S+/tests/)?(\\S+\\.t) +\\(Wstat.*\\R +(Failed tests?: .*)");

  /** What a script has done. */
  private record Ended(int status, String said) {

    /** The last that it said, as the reason of a failure. */
    String reason() {
      List<String> lines = said.lines().filter(line -> !line.isBlank()).toList();
      int from = Math.max(0, lines.size() - 2);
      return "ended with %s: %s"
          .formatted(status, String.join("; ", lines.subList(from, lines.size())));
    }
  }

  @Override
  public String name() {
    return "posix";
  }

  @Override
  public String about() {
    return "programs for any file system, on the mount";
  }

  @Override
  public Judgement run(Path sources) throws IOException {
    List<Outcome> outcomes = new ArrayList<>();
    try (Scratch scratch = new Scratch(sources.resolve(".millrace"))) {
      Path folder = scratch.folder(name());
      Mount.check(Files.createDirectory(folder.resolve("probe")));
      try (TrialMount trial = TrialMount.start(folder, NODES)) {
        Path mount = trial.mount("mount");
        for (Trial one : PosixTrials.of(tools, sources)) {
          outcomes.add(judge(one, mount));
        }
        outcomes.addAll(pjdfstest(mount));
      }
    }
    return new Judgement(outcomes);
  }

  private static Outcome judge(Trial trial, Path mount) throws IOException {
    if (bash(mount, trial.needs(), trial.arguments()).status != 0) {
      return Outcome.skipped(trial.name(), trial.missing());
    }
    Path folder = folder(mount, "trial");
    Ended ended = bash(folder, trial.script(), trial.arguments());
    return ended.status == 0
        ? Outcome.passed(trial.name())
        : Outcome.unexpected(trial.name(), ended.reason());
  }

  private List<Outcome> pjdfstest(Path mount) throws IOException {
    String name = "pjdfstest";
    if (tools.pjdfstest().isEmpty()) {
      String how = "not named; build it from its sources and name it with --pjdfstest";
      return List.of(Outcome.skipped(name, how));
    }
    Path tests = tools.pjdfstest().get().resolve("tests");
    Path folder = folder(mount, "pjdfstest");
    Ended ended = bash(folder, "prove -r \"$1\"", List.of(tests.toString()));
    List<Outcome> outcomes = proved(name, ended.said);
    return outcomes.isEmpty() ? List.of(Outcome.unexpected(name, ended.reason())) : outcomes;
  }

  /**
   * A folder that all users can go through, unlike others that are temporary: pjdfstest acts as
   * another user in it, and would find faults that are not the mount's.
   */
  static Path folder(Path mount, String name) throws IOException {
    Path made = Files.createTempDirectory(mount, name);
    return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** How the files of tests ended, by what prove says. */
  static List<Outcome> proved(String name, String said) {
    Map<String, String> failed = new HashMap<>();
    for (Matcher sum = SUMMED.matcher(said); sum.find(); ) {
      failed.put(sum.group(2), sum.group(3));
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (String line : said.lines().toList()) {
      Matcher file = PROVED.matcher(line);
      if (file.matches()) {
        String test = name + " " + file.group(2);
        String ending = file.group(3);
        if (ending.startsWith("ok")) {
          outcomes.add(Outcome.passed(test));
        } else if (ending.startsWith("skipped")) {
          outcomes.add(Outcome.skipped(test, ending));
        } else {
          outcomes.add(Outcome.unexpected(test, failed.getOrDefault(file.group(2), ending)));
        }
      }
    }
    return outcomes;
  }

  private static Ended bash(Path folder, String script, List<String> arguments) throws IOException {
    List<String> line =
        new ArrayList<>(List.of("timeout", "" + LONGEST_SECONDS, "bash", "-euo", "pipefail"));
    line.addAll(List.of("-c", script, "judge"));
    line.addAll(arguments);
    Process process =
        new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.onExit().join().exitValue(), said);
  }
}
