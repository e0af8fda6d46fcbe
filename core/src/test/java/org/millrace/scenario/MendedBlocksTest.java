package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.FileProblem;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.ScrubRun;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/** Blocks of an owner's disk that have rotted, and are read from a copy and written again. */
final class MendedBlocksTest {

  private static final int OWNER = 0;
  private static final int BLOCK = 64 << 10;
  private static final int CACHE = 1 << 20;
  private static final int END = 2 * BLOCK + 1000; // within a block
  private static final int MORE = 3 * BLOCK;
  private static final long BIT = 8L * (2 * BLOCK) + 803; // of the block in which it ends
  private static final OpenOptions OPTIONS =
      OpenOptions.create()
          .withCopies(2)
          .withStrands(1)
          .withFirstNode(OWNER)
          .withStripeUnit(BLOCK)
          .withBlockSize(BLOCK);

  private final MemoryDisk first = new MemoryDisk("coordinator");
  private final List<MemoryDisk> plain =
      new ArrayList<>(List.of(new MemoryDisk("node-0"), new MemoryDisk("node-1")));
  private Faults faults = Faults.seeded(1); // of the owner's disk

  private RunningCluster cluster() throws IOException {
    faults = Faults.seeded(1);
    return RunningCluster.over(
        Env.real(),
        first,
        List.<Disk>of(new FaultyDisk(plain.get(OWNER), faults), plain.get(1)),
        ClusterOptions.DEFAULT.withCacheBytesPerNode(CACHE));
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) (i * 31 + i / 1000 + 1);
    }
    return content;
  }

  private void rot() throws IOException {
    rot(plain.get(OWNER));
  }

  /** The first file with copies rots. */
  private static void rot(MemoryDisk disk) throws IOException {
    String strand =
        disk.list().stream()
            .filter(one -> one.startsWith("00004") && one.endsWith(".strand"))
            .findFirst()
            .get();
    new FaultyDisk(disk, Faults.seeded(2)).flipBit(strand, BIT);
  }

  private static byte[] read(SharedFile file, int from, int to) throws IOException {
    byte[] got = new byte[to - from];
    assertThat(file.at(from).read(Memory.of(got))).isEqualTo(to - from);
    return got;
  }

  private void write() throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OPTIONS)) {
              file.at(0).write(Memory.of(content(END)));
              file.flush();
            }
          });
    }
  }

  private void checkContent() throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              assertThat(read(file, 0, END)).isEqualTo(content(END));
            }
          });
    }
  }

  /** Found by the hunt: the cluster ended in order, and the block was the rotten one again. */
  @Test
  void aBlockThatWasMendedStaysSoThoughThePowerFails() throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OPTIONS);
                SharedFile other = rank.open("g", OpenOptions.create())) {
              file.at(0).write(Memory.of(content(END)));
              file.flush();
              other.at(0).write(Memory.of(content(4 * CACHE))); // of the first nothing is cached
              rot();
              assertThat(read(file, 0, END)).isEqualTo(content(END));
            }
          });
    }
    plain.set(OWNER, plain.get(OWNER).crash());
    rot(plain.get(1)); // from now on nobody else has it
    checkContent();
  }

  /** Found by the hunt: after a crash the flipped bit was taken for a write that was torn. */
  @Test
  void aBlockWhoseMendingIsInterruptedIsStillCorrupt() throws IOException {
    write();
    rot();
    assertThatThrownBy(
            () -> {
              try (RunningCluster cluster = cluster()) {
                faults.fail(Faults.Operation.FORCE, one -> one.endsWith(".strand"), 0, 1_000);
                cluster.run(
                    1,
                    rank -> {
                      try (SharedFile file = rank.open("f", OpenOptions.read())) {
                        assertThat(read(file, 0, END)).isEqualTo(content(END));
                      }
                    });
              }
            })
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("injected");
    plain.set(OWNER, plain.get(OWNER).crash());
    checkContent();
  }

  /** A flush of more bytes fails at the owner, whose disk then loses power and rots. */
  private void leaveACopyThatIsLonger() throws IOException {
    write();
    assertThatThrownBy(
            () -> {
              try (RunningCluster cluster = cluster()) {
                cluster.run(
                    1,
                    rank -> {
                      SharedFile file = rank.open("f", OpenOptions.readWrite());
                      file.at(0).write(Memory.of(content(MORE)));
                      faults.fail(Faults.Operation.FORCE, _ -> true, 0, Long.MAX_VALUE);
                      file.flush(); // the copy has it
                    });
              }
            })
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("injected");
    plain.set(OWNER, plain.get(OWNER).crash());
    rot();
  }

  /** A scrub has no copy to compare with, and takes what a program would read. */
  @Test
  void aScrubMendsABlockOfWhichOnlyALongerCopyIsLeft() throws IOException {
    leaveACopyThatIsLonger();
    try (RunningCluster cluster = cluster();
        ScrubRun run = cluster.administration().scrub(0)) {
      Eventually.holds("the scrub ends", () -> !run.isRunning());
      assertThat(run.problems()).hasSize(2).allMatch(FileProblem::repaired);
    }
    checkContent();
  }

  /** Found by the hunt: a lost write was there again when the block was read from the copy. */
  @Test
  void whatACopyHasBeyondTheOwnersEndIsNotTakenFromIt() throws IOException {
    leaveACopyThatIsLonger();
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
              assertThat(file.size()).isEqualTo(END);
              assertThat(read(file, 0, END)).isEqualTo(content(END));
              file.resize(MORE);
              byte[] zeros = new byte[MORE - END];
              assertThat(Arrays.equals(read(file, END, MORE), zeros)).as("zeros").isTrue();
            }
          });
    }
  }
}
