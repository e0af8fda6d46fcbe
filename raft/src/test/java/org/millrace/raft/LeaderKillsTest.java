package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.RunFolder;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/** Three coordinators and two nodes as processes, whose leader is killed again and again. */
@Tag("long")
final class LeaderKillsTest {

  private static final int RANKS = 3;
  private static final int RECORD = 2 * Integer.BYTES;

  /** More with -Dmillrace.kills=. */
  private static final int KILLS = Integer.getInteger("millrace.kills", 4);

  @TempDir private Path folder;

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong progress = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong gaps = new AtomicLong();
  private int kills;

  @Test
  void aProgramThatAppendsAndMakesNamesGoesOnWhenLeadersAreKilled() throws Exception {
    Path directory = folder.resolve("cluster");
    millrace("up", "--dir", directory.toString(), "--nodes", "2", "--coordinators", "3");
    try {
      Thread killer = Thread.ofPlatform().start(() -> killLeaders(directory));
      try (RunningCluster cluster =
          RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
        cluster.run(RANKS, this::appendAndName);
      } finally {
        over.set(true);
        killer.join();
      }
    } finally {
      millrace("stop", "--dir", directory.toString());
    }
    assertThat(kills).as("leaders killed").isEqualTo(KILLS);
    assertThat(progress.get()).as("records appended").isGreaterThan(100L * KILLS);
    System.out.printf(
        "%d leaders killed, %d records, %d moves and %d names unknown%n",
        kills, progress.get(), gaps.get(), unknown.get());
  }

  private void appendAndName(Rank rank) throws IOException {
    List<String> made = new ArrayList<>();
    List<String> doubtful = new ArrayList<>();
    try (SharedFile log = rank.open("log", OpenOptions.create().withMode(Mode.SHARED))) {
      int count = 0;
      for (; !over.get(); count++) {
        append(log, rank.number(), count);
        progress.incrementAndGet();
        if (count % 20 == 0) {
          String name = "r" + rank.number() + "-" + count;
          try {
            rank.names().makeDirectory(name);
            made.add(name);
          } catch (MillraceException e) {
            // a name is durable, so a request that was under way may have been carried out
            assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN);
            doubtful.add(name);
            unknown.incrementAndGet();
          }
        }
      }
      rank.barrier();
      long all = rank.allReduceLong(count, Long::sum);
      check(log, rank, all);
    }
    List<String> names = rank.names().list("").stream().map(n -> n.replace("/", "")).toList();
    assertThat(names).doesNotHaveDuplicates().containsAll(made);
    List<String> mine =
        names.stream().filter(name -> name.startsWith("r" + rank.number() + "-")).toList();
    for (String name : mine) {
      assertThat(made.contains(name) || doubtful.contains(name)).as(name).isTrue();
    }
  }

  /**
   * A move of the pointer that was not answered may have happened, if others were told of later
   * places: then it ends as UNKNOWN, and leaves a gap of its length or none (decision 0095).
   */
  private void append(SharedFile log, int rank, int count) throws IOException {
    byte[] record = ByteBuffer.allocate(RECORD).putInt(rank + 1).putInt(count).array();
    while (true) {
      try {
        log.write(MemorySegment.ofArray(record));
        return;
      } catch (MillraceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN);
        gaps.incrementAndGet();
      }
    }
  }

  /** Every record is there once, and each rank's in its order. */
  private void check(SharedFile log, Rank rank, long all) throws IOException {
    rank.barrier();
    long size = log.size();
    assertThat(size).isBetween(all * RECORD, (all + gaps.get()) * RECORD);
    if (rank.number() == 0) {
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) size]);
      log.at(0).read(bytes);
      ByteBuffer records = ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE));
      Set<Long> seen = new HashSet<>();
      int[] next = new int[RANKS]; // nothing may be missing
      while (records.hasRemaining()) {
        int who = records.getInt() - 1;
        int count = records.getInt();
        if (who < 0) {
          continue; // a gap
        }
        assertThat(seen.add(((long) who << 32) | count)).as("once").isTrue();
        assertThat(count).as("in its order").isEqualTo(next[who]++);
      }
      assertThat(seen).hasSize((int) all);
    }
    rank.barrier();
  }

  private void killLeaders(Path directory) {
    try {
      while (kills < KILLS) {
        awaitProgress();
        ProcessHandle leader =
            CoordinatorAddress.read(RunFolder.of(directory))
                .flatMap(CoordinatorAddress::process)
                .orElseThrow();
        leader.destroyForcibly();
        leader.onExit().join();
        kills++;
        awaitProgress();
        millrace("up", "--dir", directory.toString());
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      over.set(true);
    }
  }

  private void awaitProgress() throws IOException {
    long enough = progress.get() + 200;
    Eventually.holds("records are appended", () -> progress.get() > enough);
  }

  private void millrace(String... arguments) throws IOException, InterruptedException {
    Path said = folder.resolve("said");
    int code =
        new ProcessBuilder(JavaCommand.of(List.of(arguments)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(said.toFile()))
            .start()
            .waitFor();
    assertThat(code).as(Files.readString(said)).isZero();
  }
}
