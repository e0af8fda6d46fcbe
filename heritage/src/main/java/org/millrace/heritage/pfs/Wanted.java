package org.millrace.heritage.pfs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.client.Memory;
import org.millrace.env.Env;

/**
 * The buffers of a call and how many bytes it wants, not checked yet.
 *
 * @param buffers taken one after the other
 * @param bytes how many of theirs
 */
record Wanted(List<MemorySegment> buffers, long bytes) {

  static Wanted all(List<MemorySegment> iov) {
    return new Wanted(iov, iov.stream().mapToLong(MemorySegment::byteSize).sum());
  }

  /** As memory that can be used for it. */
  Memory memory(boolean write, boolean async) throws PfsException {
    if (bytes > Pfs.MAX_IO_BYTES) {
      throw new PfsException(
          Epfsl.EPFSLIOLEN, bytes + " bytes, at most " + Pfs.MAX_IO_BYTES + " in one call");
    }
    Memory all = Memory.of(buffers);
    if (bytes < 0 || bytes > all.length()) {
      throw invalid(bytes + " bytes of a buffer of " + all.length());
    }
    for (MemorySegment buffer : buffers) {
      if (!write && buffer.isReadOnly()) {
        throw invalid("cannot read into read-only memory");
      }
      Thread toucher = async ? Env.ANY_THREAD : Thread.currentThread();
      if (!buffer.scope().isAlive() || !buffer.isAccessibleBy(toucher)) {
        throw invalid("memory that is closed, or of an arena that the call may not touch");
      }
    }
    return bytes == all.length() ? all : Memory.of(buffers.getFirst().asSlice(0, bytes));
  }

  private static PfsException invalid(String why) {
    return new PfsException(Epfsl.EPFSLINVAL, why);
  }
}
