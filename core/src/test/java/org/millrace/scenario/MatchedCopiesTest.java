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
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.ScrubRun;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;
import org.millrace.testing.Eventually;

/**
 * A flush fails at the owner and succeeds at the copy; then the owner starts again without it. What
 * was flushed before stays on both disks.
 */
final class MatchedCopiesTest {

  private static final int OWNER = 0;
  private static final int COPY = 1;
  private static final int BLOCK = 64 << 10;
  private static final int END = 80 * BLOCK + 1000; // more than is compared at a time
  private static final int LONG = 65 << 20; // more than programs wait for
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
  private NodeOptions options = NodeOptions.of(16 << 20);

  private RunningCluster cluster() throws IOException {
    faults = Faults.seeded(1);
    return RunningCluster.over(
        ClusterTopology.onePlace(Env.real()),
        first,
        List.<Disk>of(new FaultyDisk(plain.get(OWNER), faults), plain.get(COPY)),
        ClusterOptions.DEFAULT.withCacheBytesPerNode(16 << 20),
        options,
        Costs.DEFAULT);
  }

  private static byte[] content(int bytes, int seed) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) (i * 31 + i / 1000 + seed);
    }
    return content;
  }

  private static CopySet set(RunningCluster cluster) throws IOException {
    FileEntry file =
        ((CoordinatorReply.About) cluster.ask(new CoordinatorRequest.Stat("f"))).entry();
    var asked = new CoordinatorRequest.AskCopies(new StrandId(file.id(), 0));
    return ((CoordinatorReply.CopiesAt) cluster.ask(asked)).set();
  }

  private void flush(byte[] bytes, long size) throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OPTIONS)) {
              file.at(0).write(Memory.of(bytes));
              file.resize(size);
              file.flush();
            }
          });
    }
  }

  private void failToFlush(byte[] bytes, long at) throws IOException {
    assertThatThrownBy(
            () -> {
              try (RunningCluster cluster = cluster()) {
                cluster.run(
                    1,
                    rank -> {
                      SharedFile file = rank.open("f", OpenOptions.readWrite());
                      file.at(at).write(Memory.of(bytes));
                      faults.fail(Faults.Operation.FORCE, _ -> true, 0, Long.MAX_VALUE);
                      file.flush(); // the copy has it
                    });
              }
            })
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("injected");
    plain.set(OWNER, plain.get(OWNER).crash());
  }

  /** As a close of a file that was only read does. Returns the set of copies after it. */
  private CopySet flushNothing() throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
              file.flush();
            }
          });
      return set(cluster);
    }
  }

  private void rotAtTheOwner(int block) throws IOException {
    MemoryDisk disk = plain.get(OWNER);
    String strand =
        disk.list().stream()
            .filter(one -> one.startsWith("00004") && one.endsWith(".strand"))
            .findFirst()
            .get();
    new FaultyDisk(disk, Faults.seeded(2)).flipBit(strand, 8L * block * BLOCK + 803);
  }

  /** Blocks that have rotted at the owner are read from the copy. */
  private void checkBlocksOfTheCopy(byte[] expected, int... blocks) throws IOException {
    for (int block : blocks) {
      rotAtTheOwner(block);
    }
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              assertThat(file.size()).isEqualTo(expected.length);
              byte[] got = new byte[expected.length];
              assertThat(file.at(0).read(Memory.of(got))).isEqualTo(expected.length);
              assertThat(Arrays.equals(got, expected)).as("what was flushed").isTrue();
            }
          });
    }
  }

  /** Found by the hunt (seed 30452): the copy left, and then the owner's disk was lost. */
  @Test
  void aCopyThatDiffersIsMadeEqualAndStays() throws IOException {
    flush(content(END, 1), END);
    failToFlush(content(END, 2), 0);
    assertThat(flushNothing().inSync()).containsExactly(OWNER, COPY);
    checkBlocksOfTheCopy(content(END, 1), 0, 63, 64, 80);
  }

  @Test
  void aCopyThatIsLongerIsCutAndStays() throws IOException {
    flush(content(END, 1), END);
    failToFlush(content(3 * BLOCK, 2), END - BLOCK);
    assertThat(flushNothing().inSync()).containsExactly(OWNER, COPY);
    checkBlocksOfTheCopy(content(END, 1), 79, 80);
  }

  /** A block of which only the copy is good is not written over by nothing. */
  @Test
  void aBlockThatHasRottedAtTheOwnerStaysAtTheCopy() throws IOException {
    flush(content(END, 1), END);
    failToFlush(content(BLOCK, 2), 0);
    rotAtTheOwner(5);
    assertThat(flushNothing().inSync()).containsExactly(OWNER, COPY);
    checkBlocksOfTheCopy(content(END, 1), 0);
  }

  /** Programs would have to wait for too long until all of it is equal. */
  @Test
  void aCopyOfALongStrandStays() throws IOException {
    flush(content(BLOCK, 1), LONG);
    failToFlush(content(BLOCK, 2), 0);
    assertThat(flushNothing().inSync()).containsExactly(OWNER, COPY);
  }

  /** While programs go on, from the start on and until the last piece. */
  @Test
  void aLongStrandIsMadeEqualBesidePrograms() throws Exception {
    options = options.withMatchBytes(0);
    flush(content(END, 1), END);
    failToFlush(content(END, 2), 0);
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
              file.flush(); // settles; nobody has read
            }
          });
      try (ScrubRun run = cluster.administration().scrub(0)) { // of what has been made equal
        Eventually.holds("the scrub ends", () -> !run.isRunning());
        assertThat(run.problems()).as("nothing is wrong").isEmpty();
      }
      assertThat(set(cluster).inSync()).containsExactly(OWNER, COPY);
    }
    checkBlocksOfTheCopy(content(END, 1), 0, 40, 80);
  }

  /** What a program has read and then flushed survives the owner, long strand or not. */
  @Test
  void whatWasReadAndFlushedIsOnTheCopy() throws IOException {
    options = options.withMatchBytes(0);
    flush(content(END, 1), END);
    failToFlush(content(END, 2), 0);
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
              byte[] got = new byte[3 * BLOCK];
              file.at(5L * BLOCK).read(Memory.of(got));
              file.flush();
            }
          });
    }
    checkBlocksOfTheCopy(content(END, 1), 5, 6, 7);
  }
}
