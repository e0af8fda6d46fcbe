package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What the tests of bad input share: a cluster whose own limits are so high that an error which
 * comes within the test's timeout came by itself, and files whose every byte is known. Stateless.
 */
final class BadInputs {

  /** Bytes of a block, the unit of checksums. */
  static final int BLOCK = 64 << 10;

  private static final long HOUR_NANOS = 3_600_000_000_000L;

  private BadInputs() {}

  /** Nothing in the cluster gives up before the test does. */
  static ClusterOptions options() {
    return ClusterOptions.DEFAULT
        .withCacheBytesPerNode(4 << 20)
        .withLimits(new Limits(HOUR_NANOS, HOUR_NANOS, 64, 64 << 10));
  }

  /** A cluster over disks in memory. */
  static RunningCluster inMemory(int nodes) throws IOException {
    List<Disk> disks = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      disks.add(new MemoryDisk("node " + n));
    }
    return RunningCluster.over(Env.real(), new MemoryDisk("coordinator"), disks, options());
  }

  /** Bytes that differ by place and by {@code salt}. */
  static byte[] content(int length, long salt) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      long mixed = (i + 1 + salt * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
      bytes[i] = (byte) (mixed >>> 40);
    }
    return bytes;
  }

  /** Writes a file by a rank alone, durably. */
  static void store(RunningCluster cluster, String path, byte[] bytes) throws IOException {
    cluster.run(
        1,
        rank -> {
          try (var file = rank.open(path, OpenOptions.create())) {
            assertThat(file.at(0).write(Memory.of(bytes))).isEqualTo(bytes.length);
          }
        });
  }

  /** The whole file must be exactly these bytes. */
  static void assertContent(RunningCluster cluster, String path, byte[] bytes) throws IOException {
    cluster.run(1, rank -> assertContent(rank, path, bytes));
  }

  /**
   * As {@link #assertContent(RunningCluster, String, byte[])}, by a rank alone, whatever the others
   * do.
   */
  static void assertContent(Rank rank, String path, byte[] bytes) throws IOException {
    try (SharedFile file = rank.alone().open(path, OpenOptions.read())) {
      byte[] found = new byte[bytes.length + 1];
      assertThat(file.at(0).read(Memory.of(found))).isEqualTo(bytes.length);
      assertThat(MemorySegment.ofArray(found).asSlice(0, bytes.length).mismatch(segment(bytes)))
          .as("first byte of %s that is wrong", path)
          .isEqualTo(-1);
    }
  }

  static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  /** The call must fail with this code and say all of {@code words}. */
  static MillraceException assertFails(ErrorCode code, ThrowingCallable call, String... words) {
    MillraceException e = Assertions.catchThrowableOfType(MillraceException.class, call);
    assertThat(e).as("an error of kind %s", code).isNotNull();
    assertThat(e.code()).as(e.toString()).isEqualTo(code);
    for (String word : words) {
      assertThat(e.getMessage()).contains(word);
    }
    return e;
  }
}
