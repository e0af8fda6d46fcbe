package org.millrace.heritage.pfs;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Memory;
import org.millrace.env.Env;

/**
 * The buffers of a call and how many bytes it wants, not checked yet: callers may give anything,
 * and in a synchronizing call the others must hear of it.
 */
final class Wanted {

  private static final long ALL = -1;

  // constant after construction
  private final @Nullable List<@Nullable MemorySegment> buffers;
  private final long asked;
  private final boolean whole;

  private Wanted(@Nullable List<@Nullable MemorySegment> buffers, long asked, boolean whole) {
    this.buffers = buffers;
    this.asked = asked;
    this.whole = whole;
  }

  /** As many bytes of a buffer. */
  static Wanted of(@Nullable MemorySegment buffer, long bytes) {
    return new Wanted(Collections.singletonList(buffer), bytes, false);
  }

  /** An array as memory; nothing if there is none. */
  static @Nullable MemorySegment segment(byte @Nullable [] array) {
    return array == null ? null : MemorySegment.ofArray(array);
  }

  /** All bytes of several buffers, one after the other. */
  static Wanted all(@Nullable List<MemorySegment> iov) {
    return new Wanted(iov == null ? null : new ArrayList<>(iov), ALL, true);
  }

  /** How many bytes, for a trace; 0 if that cannot be said. */
  long bytes() {
    try {
      return whole ? memory().length() : Math.max(0, asked);
    } catch (PfsException e) {
      return 0;
    }
  }

  private Memory memory() throws PfsException {
    if (buffers == null) {
      throw invalid("no list of buffers");
    }
    List<MemorySegment> given = new ArrayList<>();
    for (MemorySegment buffer : buffers) {
      if (buffer == null) {
        throw invalid("no buffer");
      }
      given.add(buffer);
    }
    return Memory.of(given);
  }

  /** As memory that can be used for it. */
  Memory memory(boolean write, boolean async) throws PfsException {
    Memory all = memory();
    long bytes = whole ? all.length() : asked;
    if (bytes > Pfs.MAX_IO_BYTES) {
      throw new PfsException(
          Epfsl.EPFSLIOLEN, bytes + " bytes, at most " + Pfs.MAX_IO_BYTES + " in one call");
    }
    if (bytes < 0 || bytes > all.length()) {
      throw invalid(bytes + " bytes of a buffer of " + all.length());
    }
    for (Memory.Part part : all.parts()) {
      checkUsable(part.segment(), write, async);
    }
    return bytes == all.length()
        ? all
        : Memory.of(all.parts().getFirst().segment().asSlice(0, bytes));
  }

  private static void checkUsable(MemorySegment buffer, boolean write, boolean async)
      throws PfsException {
    if (!write && buffer.isReadOnly()) {
      throw invalid("cannot read into read-only memory");
    }
    Thread toucher = async ? Env.ANY_THREAD : Thread.currentThread();
    if (!buffer.scope().isAlive() || !buffer.isAccessibleBy(toucher)) {
      throw invalid("memory that is closed, or of an arena that the call may not touch");
    }
  }

  private static PfsException invalid(String why) {
    return new PfsException(Epfsl.EPFSLINVAL, why);
  }
}
