package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.FileNames;
import org.millrace.client.SharedFile;

/** A file on the strands of all nodes: the device library that Distant I/O was for. */
record StrandFile(SharedFile file, FileNames names) implements ElioFile {

  @Override
  public CompletableFuture<Long> read(long offset, MemorySegment into) throws IOException {
    return file.at(offset).readAsync(into);
  }

  @Override
  public CompletableFuture<Long> write(long offset, MemorySegment from) throws IOException {
    return file.at(offset).writeAsync(from);
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public long stripeUnitBytes() {
    return file.layout().stripeUnitBytes();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  @Override
  public void remove() throws IOException {
    names.remove(file.path());
  }
}
