package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.env.Env;

/** Where a cache takes its memory from: a few large pieces. Safe for use by several threads. */
public interface SlabMemory {

  /** One piece, until it is given back. */
  interface Piece {

    /** The bytes, from the beginning of a page on. */
    MemorySegment memory();

    /** What other processes map it by; empty if they cannot. */
    String name();

    /** How many bytes they map. */
    default long mappedBytes() {
      return memory().byteSize();
    }

    /** Tells other processes that a frame holds all of a block, until it is withdrawn. */
    default void publish(int frame) {}

    /** Tells them that a frame may hold anything, before it does. */
    default void withdraw(int frame) {}

    /** Whether other processes have read a published frame since this was asked last. */
    default boolean takeMark(int frame) {
      return false;
    }

    /** Whether a frame is published. */
    default boolean isPublished(int frame) {
      return false;
    }

    /** Returns it to the system. This process must not access it afterwards. */
    void giveBack();
  }

  /** Fresh memory for a number of frames, of so many bytes in all. */
  Piece take(long bytes, int frames);

  /** Memory of this process alone. */
  static SlabMemory own(Env env) {
    return (bytes, _) -> new Own(env.largeArena(), bytes);
  }

  /** A piece of this process alone. */
  final class Own implements Piece {

    private static final long PAGE_BYTES = 4096;

    private final Arena arena;
    private final MemorySegment memory;

    private Own(Arena arena, long bytes) {
      this.arena = arena;
      this.memory = arena.allocate(bytes, PAGE_BYTES);
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public String name() {
      return "";
    }

    @Override
    public void giveBack() {
      arena.close();
    }
  }
}
