package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Section;

/**
 * The second buffer of an array: a section that is being prefetched or has arrived. Its memory is
 * reused for the next one.
 *
 * <p>Belongs to the rank's thread. The garbage collector frees its memory.
 */
final class Prefetched {

  // owned by the rank's thread
  private MemorySegment buffer = MemorySegment.NULL;
  private @Nullable Section section;
  private CompletableFuture<Long> moving = CompletableFuture.completedFuture(0L);
  private long hits;

  /** How the section is read into packed memory in the array's order. */
  interface Reader {
    CompletableFuture<Long> start(MemorySegment into) throws IOException;
  }

  void start(Section wanted, long bytes, Reader reader) throws IOException {
    drop();
    if (buffer.byteSize() < bytes) {
      buffer = Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    moving = reader.start(buffer.asSlice(0, bytes));
    section = wanted;
  }

  /** Keeps nothing but a call of all ranks that fails because of this one. */
  void refuse(CompletableFuture<Long> failing) {
    drop();
    moving = failing;
  }

  /** The packed bytes of a section if it was asked for and came; it is handed out once. */
  @Nullable MemorySegment take(Section wanted) {
    if (!wanted.equals(section)) {
      return null;
    }
    section = null;
    try {
      long bytes = Transfer.await(moving);
      hits++;
      return buffer.asSlice(0, bytes);
    } catch (IOException | RuntimeException e) {
      return null; // reading it again says what is wrong, to whom it concerns
    }
  }

  /** Forgets what is there, once it has come. */
  void drop() {
    section = null;
    moving.exceptionally(_ -> 0L).join();
  }

  long hits() {
    return hits;
  }
}
