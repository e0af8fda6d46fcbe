package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.testing.Seeds;

/** Ranges of files in the memory of nodes, through servers that listen, though in this JVM. */
final class PinnedRangeTest {

  private static final int BYTES = 4 << 20;
  private static final int[] UNITS = {10_000, 65536, 3 << 20};
  private static final int[] BLOCKS = {4096, 65536, 1 << 20};

  @TempDir private Path dir;

  /** What one rank does with a file. */
  private interface Use {
    void of(SharedFile file) throws IOException;
  }

  private void through(String name, OpenOptions how, Use use) throws IOException {
    ServerOptions options = ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT);
    ClusterLocation there = new ClusterLocation.In(dir);
    try (Server _ = Server.coordinator(dir, 2, options, _ -> {});
        Server _ = Server.node(dir, 0, there, options, _ -> {});
        Server _ = Server.node(dir, 1, there, options, _ -> {});
        RunningCluster cluster =
            RunningCluster.connect(there, ClusterOptions.DEFAULT, TransportOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open(name, how)) {
              use.of(file);
            }
          });
    }
  }

  private static void fill(List<MemorySegment> segments, byte[] from) {
    int at = 0;
    for (MemorySegment segment : segments) {
      segment.copyFrom(MemorySegment.ofArray(from).asSlice(at, segment.byteSize()));
      at += (int) segment.byteSize();
    }
    assertThat(at).isEqualTo(from.length);
  }

  private static byte[] bytes(List<MemorySegment> segments) {
    byte[] all = new byte[segments.stream().mapToInt(one -> (int) one.byteSize()).sum()];
    int at = 0;
    for (MemorySegment segment : segments) {
      MemorySegment.copy(segment, 0, MemorySegment.ofArray(all), at, segment.byteSize());
      at += (int) segment.byteSize();
    }
    return all;
  }

  @Test
  void bytesLieInTheOrderOfTheFileWhateverItsLayout() throws IOException {
    long seed = Seeds.of(1)[0];
    Random random = new Random(seed);
    for (int unit : UNITS) {
      for (int block : BLOCKS) {
        OpenOptions how = OpenOptions.create().withStripeUnit(unit).withBlockSize(block);
        through(
            unit + "-" + block,
            how,
            file -> {
              String when = Seeds.replay(seed) + " by " + unit + " in " + block;
              byte[] all = new byte[3 * BYTES];
              random.nextBytes(all);
              file.at(0).write(Memory.of(all));
              byte[] some = new byte[BYTES];
              random.nextBytes(some);
              int from = random.nextInt(BYTES);
              System.arraycopy(some, 0, all, from, BYTES);
              try (PinnedRange range = file.at(from).pin(BYTES, true)) {
                fill(range.segments(), some);
                range.commit();
                assertThat(range.isAccepted()).as(when).isTrue();
              }
              byte[] back = new byte[all.length];
              file.at(0).read(Memory.of(back));
              assertThat(back).as(when).isEqualTo(all);
              try (PinnedRange range = file.at(from).pin(BYTES, false)) {
                assertThat(bytes(range.segments())).as(when).isEqualTo(some);
              }
            });
      }
    }
  }

  @Test
  void nothingCanBeTouchedAfterwards() throws IOException {
    through(
        "f",
        OpenOptions.create(),
        file -> {
          PinnedRange range = file.at(0).pin(BYTES, true);
          List<MemorySegment> segments = range.segments();
          fill(segments, new byte[BYTES]);
          range.commit();
          assertThatThrownBy(() -> segments.getFirst().set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
              .isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(range::commit).isInstanceOf(IllegalStateException.class);
          assertThat(range.isAccepted()).isTrue();
          range.close();
          PinnedRange read = file.at(0).pin(BYTES, false);
          List<MemorySegment> there = read.segments();
          read.close();
          assertThatThrownBy(() -> there.getFirst().get(ValueLayout.JAVA_BYTE, 0))
              .isInstanceOf(IllegalStateException.class);
        });
  }

  @Test
  void whatIsClosedWithoutACommitWasNotWritten() throws IOException {
    through(
        "f",
        OpenOptions.create(),
        file -> {
          byte[] some = new byte[BYTES];
          new Random(1).nextBytes(some);
          try (PinnedRange range = file.at(0).pin(BYTES, true)) {
            fill(range.segments(), some);
            assertThatThrownBy(range::isAccepted).isInstanceOf(IllegalStateException.class);
          }
          assertThat(file.at(0).read(Memory.of(new byte[BYTES]))).isZero();
          assertThat(file.size()).isZero();
        });
  }

  @Test
  void shortRangesAtomicModeAndNodesInTheSameProcessHaveNoSegments() throws IOException {
    through(
        "f",
        OpenOptions.create(),
        file -> {
          try (PinnedRange range = file.at(0).pin(5, true)) {
            assertThat(range.segments()).isEmpty();
          }
          file.setAtomic(true);
          try (PinnedRange range = file.at(0).pin(BYTES, true)) {
            assertThat(range.segments()).isEmpty();
          }
        });
    try (RunningCluster cluster = RunningCluster.embedded(dir.resolve("embedded"), 2)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.create());
                PinnedRange range = file.at(0).pin(BYTES, true)) {
              assertThat(range.segments()).isEmpty();
            }
          });
    }
  }

  @Test
  void filesThatMayNotBeWrittenAreNotLentForWriting() throws IOException {
    through("f", OpenOptions.create(), file -> file.at(0).write(Memory.of(new byte[BYTES])));
    through(
        "f",
        OpenOptions.read(),
        file ->
            assertThatThrownBy(() -> file.at(0).pin(BYTES, true))
                .hasMessageContaining("opened for reading only"));
  }
}
