package org.millrace.heritage.sharedfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.disk.StoredBytes;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Programs;

final class SharedFilesTest {

  @TempDir private Path directory;

  /** On strands, or on a file system that all share. */
  private String name(boolean strands, String plain) {
    if (strands) {
      return plain;
    }
    Programs.assumeRealFiles();
    return directory.resolve(plain).toAbsolutePath().toString();
  }

  private static byte[] content(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void write(SharedFiles sf, SfHandle handle, long offset, byte[] bytes)
      throws IOException {
    SfRequest request = new SfRequest();
    sf.sf_write(handle, offset, bytes.length, MemorySegment.ofArray(bytes), request);
    sf.sf_wait(request);
  }

  private static byte[] read(SharedFiles sf, SfHandle handle, long offset, int length)
      throws IOException {
    byte[] bytes = new byte[length];
    SfRequest request = new SfRequest();
    sf.sf_read(handle, offset, length, MemorySegment.ofArray(bytes), request);
    sf.sf_wait(request);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void case22RanksReadEachOthersBlocks(boolean strands) throws IOException {
    int requests = 5;
    int doubles = 8192;
    String name = name(strands, "case22");
    Path cluster = directory.resolve("cluster");
    Programs.run(
        cluster,
        4,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SizeHints hints = new SizeHints(5L * 8192 * rank.size() * Double.BYTES);
          SfHandle handle = sf.sf_create(name, hints, 65_536);
          assertThat(handle.device().name()).isEqualTo(strands ? "striped files" : "plain files");
          assertThat(handle.stripeUnitBytes()).isEqualTo(strands ? 65_536 : 0);
          List<SfRequest> writes = new ArrayList<>();
          for (int i = 0; i < requests; i++) {
            double[] block = block(rank.number(), i, doubles);
            SfRequest request = new SfRequest();
            long offset = ((long) rank.number() * requests + i) * doubles * Double.BYTES;
            sf.sf_write(handle, offset, 65_536, MemorySegment.ofArray(block), request);
            writes.add(request);
          }
          sf.sf_waitall(writes);
          rank.barrier();
          assertThat(handle.size()).isEqualTo(hints.expectedBytes());
          int other = rank.size() - 1 - rank.number();
          for (int i = 0; i < requests; i++) {
            long offset = ((long) other * requests + i) * doubles * Double.BYTES;
            MemorySegment read = MemorySegment.ofArray(read(sf, handle, offset, 65_536));
            assertThat(read.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED))
                .isEqualTo(block(other, i, doubles));
          }
          sf.sf_destroy(handle);
          assertThatThrownBy(() -> sf.sf_open(name)).isInstanceOf(NoSuchNameException.class);
        });
    Programs.run(cluster, 1, 1, _ -> {}); // removes what the end of processes interrupted
    assertThat(stored(cluster)).as("no strand is left").isZero();
    assertThat(Path.of(name)).doesNotExist();
  }

  private static double[] block(int rank, int request, int doubles) {
    double[] block = new double[doubles];
    Arrays.setAll(block, k -> 1e6 * rank + 1e5 * request + k);
    return block;
  }

  /** The bytes of strands that the nodes hold. */
  private static long stored(Path cluster) throws IOException {
    long bytes = 0;
    try (Stream<Path> parts = Files.list(cluster)) {
      for (Path node : parts.filter(part -> part.toString().contains("node-")).toList()) {
        bytes += StoredBytes.of(node);
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void gapsAreZeroAndReadingBeyondTheEndIsAnError(boolean strands) throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name(strands, "gap"), SizeHints.NONE, 0);
          if (rank.number() == 1) {
            write(sf, handle, 200_000, content(10, 1)); // components 0 and 1 stay empty
          }
          rank.barrier();
          assertThat(handle.size()).isEqualTo(200_010);
          assertThat(read(sf, handle, 0, 200_000)).isEqualTo(new byte[200_000]);
          assertThat(read(sf, handle, 200_000, 10)).isEqualTo(content(10, 1));
          assertThat(read(sf, handle, 500_000, 0)).isEmpty();
          for (long offset : new long[] {200_001, 200_010, 300_000}) {
            assertThatThrownBy(() -> read(sf, handle, offset, 10))
                .isInstanceOfSatisfying(
                    MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
                .hasMessageContaining("beyond the end");
          }
          rank.barrier();
          assertThat(handle.size()).as("reading extends nothing").isEqualTo(200_010);
          sf.sf_destroy(handle);
        });
  }

  @Test
  void theTypicalRequestBecomesTheStripeUnit() throws IOException {
    long[][] expected = {
      {0, 32_768}, {1, 4096}, {4096, 4096}, {30_000, 30_000}, {1 << 20, 1 << 20}
    };
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          for (long[] pair : expected) {
            SfHandle handle = sf.sf_create("unit", SizeHints.NONE, pair[0]);
            assertThat(handle.stripeUnitBytes()).isEqualTo(pair[1]);
            sf.sf_close(handle);
            rank.barrier();
            assertThat(rank.names().stat("unit").layout().orElseThrow().strands()).isEqualTo(3);
            rank.barrier();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void groupLocksProtectReadModifyWrite(boolean strands) throws IOException {
    int rounds = 50;
    Programs.run(
        directory.resolve("cluster"),
        4,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name(strands, "counters"), SizeHints.NONE, 0);
          if (rank.number() == 0) {
            write(sf, handle, 0, new byte[24]);
          }
          rank.barrier();
          for (int i = 0; i < rounds; i++) {
            long counter = ((long) i + rank.number()) % 3;
            try (var _ = sf.lock(handle, counter)) {
              MemorySegment value = MemorySegment.ofArray(read(sf, handle, 8 * counter, 8));
              long before = value.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
              MemorySegment after = MemorySegment.ofArray(new long[] {before + 1});
              SfRequest request = new SfRequest();
              sf.sf_write(handle, 8 * counter, 8, after, request);
              sf.sf_wait(request);
            }
          }
          rank.barrier();
          MemorySegment all = MemorySegment.ofArray(read(sf, handle, 0, 24));
          long sum = 0;
          for (int i = 0; i < 3; i++) {
            sum += all.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
          }
          assertThat(sum).isEqualTo((long) rounds * rank.size());
          sf.sf_destroy(handle);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileIsReadAgainByAnotherNumberOfRanks(boolean strands) throws IOException {
    String name = name(strands, "again");
    Programs.run(
        directory.resolve("cluster"),
        3,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name, SizeHints.NONE, 5000);
          write(sf, handle, 7000L * rank.number(), content(7000, rank.number()));
          sf.sf_close(handle);
          sf.sf_close(handle);
        });
    Programs.run(
        directory.resolve("cluster"),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_open(name);
          for (int r = 0; r < 3; r++) {
            assertThat(read(sf, handle, 7000L * r, 7000)).isEqualTo(content(7000, r));
          }
          sf.sf_close(handle);
          rank.barrier();
          SfHandle fresh = sf.sf_create(name, SizeHints.NONE, 0);
          assertThat(fresh.size()).as("made anew").isZero();
          sf.sf_destroy(fresh);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void wrongUseIsRefusedAndLeavesAllAsItWas(boolean strands) throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name(strands, "wrong"), SizeHints.NONE, 0);
          MemorySegment buffer = MemorySegment.ofArray(content(8, 1));
          SfRequest request = new SfRequest();
          refused(() -> sf.sf_write(handle, -1, 8, buffer, request));
          refused(() -> sf.sf_write(handle, 0, 9, buffer, request));
          refused(() -> sf.sf_write(handle, 0, -1, buffer, request));
          refused(() -> sf.sf_read(handle, Long.MAX_VALUE, 8, buffer, request));
          refused(() -> sf.sf_read(handle, 0, 8, buffer.asReadOnly(), request));
          assertThatThrownBy(() -> sf.sf_create(name(strands, "wrong"), SizeHints.NONE, -1))
              .isInstanceOf(MillraceException.class);
          refused(() -> new SizeHints(-1));
          try (Arena confined = Arena.ofConfined()) {
            assertThatThrownBy(() -> sf.sf_write(handle, 0, 8, confined.allocate(8), request))
                .isInstanceOf(WrongThreadException.class);
          }
          assertThat(request.isPending()).isFalse();
          assertThat(handle.size()).isZero();
          rank.barrier();
          sf.sf_write(handle, 0, 8, buffer, request);
          assertThatThrownBy(() -> sf.sf_write(handle, 0, 8, buffer, request))
              .isInstanceOf(IllegalStateException.class);
          sf.sf_wait(request);
          sf.sf_wait(request); // nothing is under way: complete
          String mixed = name(strands, rank.number() == 0 ? "wrong" : "other");
          assertThatThrownBy(() -> sf.sf_create(mixed, SizeHints.NONE, 0))
              .isInstanceOf(MixedCallException.class);
          assertThat(handle.size()).as("nothing was replaced").isEqualTo(8);
          sf.sf_destroy(handle);
          assertThatThrownBy(() -> sf.sf_read(handle, 0, 8, buffer, request))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        });
  }

  @Test
  void waitAllWaitsForAllAndTellsTheFirstError() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create("all", SizeHints.NONE, 0);
          write(sf, handle, 0, content(100, 4));
          List<SfRequest> requests = new ArrayList<>();
          List<byte[]> buffers = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            byte[] buffer = new byte[10];
            SfRequest request = new SfRequest();
            sf.sf_read(handle, 10L * i, 10, MemorySegment.ofArray(buffer), request);
            requests.add(request);
            buffers.add(buffer);
          }
          assertThatThrownBy(() -> sf.sf_waitall(requests))
              .hasMessageContaining("at 100 of all")
              .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
          assertThat(requests).noneMatch(SfRequest::isPending);
          byte[] whole = content(100, 4);
          for (int i = 0; i < 10; i++) {
            assertThat(buffers.get(i)).isEqualTo(Arrays.copyOfRange(whole, 10 * i, 10 * i + 10));
          }
          sf.sf_destroy(handle);
        });
  }

  @Test
  void aFileThatSomebodyHasOpenIsNotReplacedOnAnyRank() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Rank lone = rank.alone();
          try (var _ = lone.open("held" + rank.number(), OpenOptions.create())) {
            rank.barrier();
            SharedFiles sf = new SharedFiles(rank);
            assertThatThrownBy(() -> sf.sf_create("held1", SizeHints.NONE, 0))
                .isInstanceOfSatisfying(
                    MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
            rank.barrier();
          }
        });
  }

  @Test
  void aPathThatCannotBeOpenedFailsOnAllRanks() throws IOException {
    String name = directory.resolve("no such folder").resolve("file").toString();
    Programs.run(
        directory.resolve("cluster"),
        3,
        1,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          assertThatThrownBy(() -> sf.sf_create(name, SizeHints.NONE, 0))
              .isInstanceOf(NoSuchNameException.class);
          assertThatThrownBy(() -> sf.sf_open(name)).isInstanceOf(NoSuchNameException.class);
        });
  }

  private interface Act {
    void run() throws IOException;
  }

  private static void refused(Act act) {
    assertThatThrownBy(act::run).isInstanceOf(IllegalArgumentException.class);
  }
}
