package org.millrace.cli.judge;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.measure.Scratch;
import org.millrace.cli.mount.TrialMount;

/**
 * A judge that is a test of the module {@code judge}: Maven fetches its libraries and runs it, and
 * it leaves a file with the outcomes. Immutable.
 *
 * @param name of the judge, and of its file
 * @param test the class that runs it
 * @param about who judges what
 * @param clusters what the test calls the clusters that it uses
 * @param daemons whether these are made of processes
 */
record MavenJudge(String name, String test, String about, List<String> clusters, boolean daemons)
    implements Judge {

  private static final String LOG = "judge.log";
  private static final int NODES = 2;

  MavenJudge(String name, String test, String about, List<String> clusters) {
    this(name, test, about, clusters, false);
  }

  @Override
  public Optional<Judge> onDaemons() {
    return Optional.of(new MavenJudge(name, test, about + ", daemons", clusters, true));
  }

  @Override
  public Judgement run(Path sources) throws IOException {
    if (!Files.isRegularFile(sources.resolve("judge/pom.xml"))) {
      throw new IOException(
          sources + " is not the folder of Millrace's sources; name it with --sources");
    }
    Path build = sources.resolve("judge/target/fast");
    Path result = build.resolve("judges").resolve(name + ".tsv");
    Files.deleteIfExists(result);
    Files.createDirectories(build);
    Path log = build.resolve(LOG);
    int status = daemons ? startAndRun(sources, log.toFile()) : maven(sources, log.toFile());
    if (!Files.isRegularFile(result)) {
      throw new IOException(
          "the judge did not run: Maven ended with %s, and its log is %s".formatted(status, log));
    }
    return Judgement.read(result);
  }

  /** The tests find the clusters by a folder that has them by name. */
  private int startAndRun(Path sources, File log) throws IOException {
    Deque<TrialMount> started = new ArrayDeque<>();
    try (Scratch scratch = new Scratch(sources.resolve(".millrace"))) {
      Path folder = scratch.folder(name);
      try {
        for (String cluster : clusters) {
          started.push(TrialMount.start(Files.createDirectory(folder.resolve(cluster)), NODES));
        }
        return maven(sources, log, "-Dmillrace.judge.clusters=" + folder);
      } finally {
        while (!started.isEmpty()) {
          started.pop().close();
        }
      }
    }
  }

  private int maven(Path sources, File log, String... more) throws IOException {
    List<String> line = new ArrayList<>(List.of(more));
    line.addAll(
        0,
        List.of(
            "mvn",
            "-B",
            "-Dfast",
            "-pl",
            "judge",
            "-am",
            "test",
            "-Dtest=" + test,
            "-Dsurefire.failIfNoSpecifiedTests=false"));
    try {
      return new ProcessBuilder(line)
          .directory(sources.toFile())
          .redirectErrorStream(true)
          .redirectOutput(log)
          .start()
          .onExit()
          .join()
          .exitValue();
    } catch (IOException e) {
      throw new IOException("this judge needs Maven; install it: apt-get install maven", e);
    }
  }
}
