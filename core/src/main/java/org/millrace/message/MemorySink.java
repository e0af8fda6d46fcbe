package org.millrace.message;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A payload that goes to memory of the transport's own. Used by the thread that reads. */
final class MemorySink implements Sink {

  private final MemorySegment memory;
  private final long bytes;
  private final ByteBuffer buffer;

  MemorySink(MemorySegment memory, long bytes) {
    this.memory = memory;
    this.bytes = bytes;
    this.buffer = memory.asSlice(0, bytes).asByteBuffer();
  }

  MemorySegment memory() {
    return memory;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public ByteBuffer enter() {
    return buffer;
  }

  @Override
  public void leave() {}

  @Override
  public void drop() {
    buffer.clear(); // who comes again sends all of it again
  }
}
