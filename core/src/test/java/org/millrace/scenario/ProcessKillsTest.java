package org.millrace.scenario;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/**
 * Nodes and the coordinator are killed and stopped at random while writers write, flush and keep a
 * journal of what was acknowledged: all of that is there in the end, and nothing hangs. A minute of
 * this or more: {@code -Dmillrace.campaign=MINUTES}, see docs/testing.md.
 */
final class ProcessKillsTest {

  private static final String PROPERTY = "millrace.campaign";
  private static final int WRITERS = 3;
  private static final int RECORDS = 20;

  /** A record and a stripe unit: what is in one block is written as a whole or not at all. */
  private static final int RECORD = 8192;

  private static final int FLUSHES = 3;
  private static final int NODES = 2;
  private static final int TIMEOUT_MILLIS = 1500;
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;

  /**
   * What a writer knows of its file. Belongs to its thread, then to who waits for it.
   *
   * <p>A record holds a version that was written; not an older one than was acknowledged.
   */
  private static final class WriteJournal {
    final int[] tried = new int[RECORDS];
    final int[] acknowledged = new int[RECORDS];
    int flushes;
  }

  private static byte[] record(int writer, int record, int version) {
    return version == 0
        ? new byte[RECORD]
        : BadInputs.content(RECORD, 1_000_000L * version + 1000L * writer + record);
  }

  @Test
  @Tag("long")
  void whatWasAcknowledgedSurvivesAnyKill() throws Exception {
    String minutes = System.getProperty(PROPERTY, "");
    long until =
        System.nanoTime()
            + (minutes.isBlank() ? 8 * SECOND : MINUTES.toNanos(Long.parseLong(minutes)));
    long[] seeds = Seeds.of(minutes.isBlank() ? 1 : 1_000);
    for (long seed : seeds) {
      try {
        campaign(seed, Math.min(until, System.nanoTime() + 30 * SECOND));
      } catch (Exception | Error e) {
        throw new AssertionError(Seeds.replay(seed) + ": " + e, e);
      }
      if (System.nanoTime() > until) {
        return;
      }
    }
  }

  private void campaign(long seed, long until) throws Exception {
    Path place = Files.createTempDirectory(directory, "c");
    Random random = new Random(seed);
    Talk talk = random.nextBoolean() ? Talk.SHARED_MEMORY : Talk.SOCKETS;
    Role role = new Role(-1, NODES, RECORD, 4 << 20, talk, TIMEOUT_MILLIS, place);
    List<WriteJournal> journals = new ArrayList<>();
    List<Thread> writers = new ArrayList<>();
    try (var hosts = new ServerHosts()) {
      hosts.serve(role);
      for (int w = 0; w < WRITERS; w++) {
        int number = w;
        WriteJournal journal = new WriteJournal();
        journals.add(journal);
        long draws = random.nextLong();
        writers.add(
            Thread.ofPlatform()
                .name("writer " + w)
                .start(() -> write(role, number, journal, new Random(draws), until)));
      }
      while (System.nanoTime() < until) {
        pause(300 + random.nextInt(1500));
        disturb(hosts, role, random);
      }
      for (Thread writer : writers) {
        writer.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(writer.isAlive()).as("%s hangs", writer.getName()).isFalse();
      }
      check(role, journals);
    }
  }

  private static void pause(int millis) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(until - System.nanoTime());
    }
  }

  /** Kills a server and starts it again, or stops it for a while. */
  private static void disturb(ServerHosts hosts, Role role, Random random) throws IOException {
    int victim = random.nextInt(NODES + 1) - 1;
    Jvm jvm = hosts.jvm(victim);
    if (random.nextInt(3) == 0) {
      jvm.stop();
      pause(random.nextInt(2 * TIMEOUT_MILLIS));
      jvm.resume();
      return;
    }
    jvm.kill();
    jvm.await();
    pause(random.nextInt(1000));
    Jvm fresh = hosts.jvm(victim);
    fresh.send(role.as(victim).toString());
    fresh.expect("ok");
  }

  private static RunningCluster connect(Role role) throws IOException {
    var limits = new Limits(20 * SECOND, 30 * SECOND, 64, 64 << 10);
    return RunningCluster.connect(
        new ClusterLocation.In(role.directory()),
        BadInputs.options().withLimits(limits),
        role.transport());
  }

  /** Until it is over; but a slow machine gets the time for a few flushes. */
  private static boolean goesOn(WriteJournal journal, long until) {
    long now = System.nanoTime();
    return now < until || (journal.flushes < FLUSHES && now < until + 300 * SECOND);
  }

  private static void write(
      Role role, int writer, WriteJournal journal, Random random, long until) {
    while (goesOn(journal, until)) {
      try (RunningCluster cluster = connect(role)) {
        cluster.run(
            1,
            rank -> {
              try (SharedFile file = rank.open("w" + writer, OpenOptions.create())) {
                int[] written = new int[RECORDS]; // of what other opens wrote nothing is known
                while (goesOn(journal, until)) {
                  writeSome(file, writer, journal, written, random);
                }
              }
            });
      } catch (IOException e) {
        // a typed error: opens again
        pause(50);
      }
    }
  }

  private static void writeSome(
      SharedFile file, int writer, WriteJournal journal, int[] written, Random random)
      throws IOException {
    for (int i = 0; i < 5; i++) {
      int record = random.nextInt(RECORDS);
      int version = ++journal.tried[record];
      file.at((long) record * RECORD).write(Memory.of(record(writer, record, version)));
      written[record] = version;
    }
    file.flush();
    journal.flushes++;
    for (int r = 0; r < RECORDS; r++) {
      journal.acknowledged[r] = Math.max(journal.acknowledged[r], written[r]);
    }
  }

  private static void check(Role role, List<WriteJournal> journals) throws IOException {
    try (RunningCluster cluster = connect(role)) {
      LostProcessesTest.awaitNodes(cluster);
      for (int w = 0; w < journals.size(); w++) {
        WriteJournal journal = journals.get(w);
        int writer = w;
        assertThat(journal.flushes).as("flushes of writer %d", w).isGreaterThanOrEqualTo(FLUSHES);
        cluster.run(1, rank -> check(Bytes.ofFile(rank, "w" + writer), writer, journal));
      }
    }
  }

  private static void check(byte[] found, int writer, WriteJournal journal) {
    for (int r = 0; r < RECORDS; r++) {
      byte[] bytes = new byte[RECORD];
      int from = Math.min(found.length, r * RECORD);
      System.arraycopy(found, from, bytes, 0, Math.min(RECORD, found.length - from));
      boolean right = false;
      for (int v = journal.acknowledged[r]; v <= journal.tried[r] && !right; v++) {
        right = Arrays.equals(bytes, record(writer, r, v));
      }
      assertThat(right)
          .as(
              "record %d of writer %d is one of versions %d to %d",
              r, writer, journal.acknowledged[r], journal.tried[r])
          .isTrue();
    }
  }
}
