package org.millrace.cli.judge;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A judge that is a test of the module {@code judge}: Maven fetches its libraries and runs it, and
 * it leaves a file with the outcomes. Immutable.
 *
 * @param name of the judge, and of its file
 * @param test the class that runs it
 * @param about who judges what
 */
record MavenJudge(String name, String test, String about) implements Judge {

  private static final String LOG = "judge.log";

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
    int status = maven(sources, log.toFile());
    if (!Files.isRegularFile(result)) {
      throw new IOException(
          "the judge did not run: Maven ended with %s, and its log is %s".formatted(status, log));
    }
    return Judgement.read(result);
  }

  private int maven(Path sources, File log) throws IOException {
    List<String> line =
        List.of(
            "mvn",
            "-B",
            "-Dfast",
            "-pl",
            "judge",
            "-am",
            "test",
            "-Dtest=" + test,
            "-Dsurefire.failIfNoSpecifiedTests=false");
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
