package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Components on the nodes' disks: the strands of one file, of which processor p's is strand p.
 *
 * @param file what they are the strands of
 * @param lone the group of one that opened it, if it was not the program's
 */
record NodeComponents(SharedFile file, Optional<Rank> lone) implements Components {

  @Override
  public int count() {
    return file.layout().strands();
  }

  @Override
  public long size(int proc) throws IOException {
    return file.strandEnd(proc);
  }

  @Override
  public CompletableFuture<Long> read(int proc, long offset, List<MemorySegment> into)
      throws IOException {
    return file.strand(proc).at(offset).readAsync(Memory.of(into));
  }

  @Override
  public CompletableFuture<Long> write(int proc, long offset, List<MemorySegment> from)
      throws IOException {
    return file.strand(proc).at(offset).writeAsync(Memory.of(from));
  }

  @Override
  public void extend(int proc, long size) throws IOException {
    file.extend(file.layout().fileSize(proc, size));
  }

  @Override
  public boolean isClosed() {
    return file.isClosed();
  }

  @Override
  public void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    file.close();
    if (lone.isPresent()) {
      lone.get().leave("");
    }
  }
}
