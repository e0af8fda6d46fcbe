package org.millrace.heritage.sharedfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.elio.ElioDevice;
import org.millrace.heritage.elio.ElioFile;
import org.millrace.heritage.elio.ElioHints;
import org.millrace.heritage.elio.ElioRequest;
import org.millrace.heritage.elio.PlainFile;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** ELIO's devices: those that are there, and one that a program brings. */
final class DevicesTest {

  @TempDir private Path directory;

  /** Files in memory that all ranks of a JVM share. */
  private static final class MemoryDevice implements ElioDevice {

    private final ConcurrentMap<String, byte[]> files = new ConcurrentHashMap<>();
    private final List<ElioHints> seen = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public ElioFile create(Rank rank, String path, ElioHints hints) throws IOException {
      seen.add(hints);
      rank.barrier();
      files.put(path, new byte[(int) hints.expectedBytes()]);
      rank.barrier();
      return open(rank, path);
    }

    @Override
    public ElioFile open(Rank rank, String path) throws IOException {
      byte[] bytes = files.get(path);
      if (bytes == null) {
        throw new NoSuchNameException("no file " + path);
      }
      return new MemoryFile(bytes);
    }

    @Override
    public void remove(Rank rank, String path) throws IOException {
      rank.barrier();
      files.remove(path);
      rank.barrier();
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // all ranks write to this very array
  private record MemoryFile(byte[] bytes) implements ElioFile {

    @Override
    public ElioRequest read(long offset, MemorySegment into) {
      long there = Math.clamp(bytes.length - offset, 0, into.byteSize());
      MemorySegment.copy(MemorySegment.ofArray(bytes), offset, into, 0, there);
      return ElioRequest.done(there);
    }

    @Override
    public ElioRequest write(long offset, MemorySegment from) {
      MemorySegment.copy(from, 0, MemorySegment.ofArray(bytes), offset, from.byteSize());
      return ElioRequest.done(from.byteSize());
    }

    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public long stripeUnitBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  @InOneJvm("the device keeps files in this JVM's memory")
  void aProgramBringsADeviceOfItsOwnBesideTheOthers() throws IOException {
    MemoryDevice memory = new MemoryDevice();
    ElioChoice usual = ElioChoice.bySharing();
    ElioChoice choice = (rank, path) -> path.startsWith("memory:") ? memory : usual.of(rank, path);
    Programs.run(
        directory.resolve("cluster"),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank, choice);
          for (String name : List.of("memory:f", "f", directory.resolve("f").toString())) {
            SfHandle handle = sf.sf_create(name, new SizeHints(20), 5);
            SfRequest request = new SfRequest();
            sf.sf_write(handle, 10L * rank.number(), new byte[] {1, 2, 3, 4, 5}, request);
            sf.sf_wait(request);
            rank.barrier();
            byte[] got = new byte[5];
            sf.sf_read(handle, 10, got, request);
            sf.sf_wait(request);
            assertThat(got).as(name).containsExactly(1, 2, 3, 4, 5);
            sf.sf_destroy(handle);
            assertThatThrownBy(() -> sf.sf_open(name)).isInstanceOf(NoSuchNameException.class);
          }
        });
    assertThat(memory.seen).hasSize(2).containsOnly(new ElioHints(20, 5));
  }

  @Test
  void requestsToPlainFilesAreCompleteAtOnceAndOnTheCallersThread() throws IOException {
    Path path = Files.write(directory.resolve("plain"), new byte[] {1, 2, 3});
    try (PlainFile file = PlainFile.open(path)) {
      byte[] got = new byte[5];
      ElioRequest read = file.read(1, MemorySegment.ofArray(got));
      assertThat(got).as("no other thread has to run first").containsExactly(2, 3, 0, 0, 0);
      assertThat(read.isDone()).isTrue();
      assertThat(read.await()).isEqualTo(2);
      ElioRequest write = file.write(5, MemorySegment.ofArray(new int[] {-1}));
      assertThat(Files.readAllBytes(path)).containsExactly(1, 2, 3, 0, 0, -1, -1, -1, -1);
      assertThat(write.isDone()).isTrue();
      assertThat(write.await()).as("may be asked again").isEqualTo(4);
      assertThat(write.await()).isEqualTo(4);
      file.extend(3);
      assertThat(file.size()).as("never cut").isEqualTo(9);
      file.extend(12);
      assertThat(file.size()).isEqualTo(12);
    }
  }
}
