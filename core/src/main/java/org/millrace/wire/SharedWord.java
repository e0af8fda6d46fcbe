package org.millrace.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Words of 8 bytes that several processes use. Stateless. */
final class SharedWord {

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private SharedWord() {}

  /** Reads one; later loads of this thread do not overtake it. */
  static long get(MemorySegment memory, long at) {
    return (long) LONG.getAcquire(memory, at);
  }
}
