package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.testing.ChildJava;

/**
 * A cluster in a JVM of its own, to be killed. It writes numbered versions of records, flushes, and
 * says on its output which version each rank has flushed; the test that started it checks that they
 * are there afterwards.
 */
final class PersistenceChild {

  /** Ranks that write. */
  static final int RANKS = 3;

  /** Records of each rank: more than a block, so that strides cross blocks and strands. */
  static final int RECORDS = 40;

  /** Bytes of a record; not a divisor of anything. */
  static final int RECORD = 7001;

  private PersistenceChild() {}

  /** A record's bytes: who wrote it, where and in which version can be told from any of them. */
  static byte[] record(int rank, int record, int version) {
    return BadInputs.content(RECORD, 1_000_000L * version + 1000L * rank + record);
  }

  static long offset(int rank, int record) {
    return ((long) record * RANKS + rank) * RECORD;
  }

  /** Arguments: the directory; then "write", or "hold" to open the cluster and wait. */
  public static void main(String[] arguments) throws IOException {
    try (Cluster cluster =
        Cluster.embedded(
            Path.of(arguments[0]), 2, BadInputs.options().withStripeUnitBytes(10_000))) {
      say("open");
      if (arguments[1].equals("write")) {
        cluster.run(
            RANKS,
            rank -> {
              try (SharedFile file =
                  rank.open("records", OpenOptions.create().withMode(Mode.ATOMIC))) {
                for (int version = 1; ; version++) {
                  for (int r = 0; r < RECORDS; r++) {
                    file.at(offset(rank.number(), r))
                        .write(Memory.of(record(rank.number(), r, version)));
                  }
                  file.flush();
                  say("flushed " + rank.number() + " " + version);
                  if (rank.number() == 0) {
                    String name = "small-" + version;
                    try (var small = rank.alone().open(name, OpenOptions.create())) {
                      small.at(0).write(Memory.of(record(0, 0, version)));
                    }
                    say("made " + version);
                  }
                }
              }
            });
      } else if (System.in.read() < 0) {
        say("end");
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** A running child. */
  record Running(Process process, BufferedReader output) implements AutoCloseable {

    /** Kills it, as kill -9 does, and waits until it is gone; returns what else it had said. */
    List<String> kill() throws IOException, InterruptedException {
      process
          .toHandle()
          .destroyForcibly(); // unlike the process's own, it leaves the output readable
      List<String> rest = new ArrayList<>();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        rest.add(line);
      }
      process.waitFor();
      return rest;
    }

    @Override
    public void close() throws IOException {
      process.destroyForcibly();
      output.close();
    }
  }

  /** Starts this class in another JVM. */
  static Running start(Path directory, String what) throws IOException {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process process =
        new ProcessBuilder(
                ChildJava.command(
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    classes,
                    PersistenceChild.class.getName(),
                    directory.toString(),
                    what))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return new Running(
        process,
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
  }
}
