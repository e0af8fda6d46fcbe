package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Signal;

/**
 * The memory of the blocks: off-heap, page-aligned, taken in slabs of several frames only when
 * needed, never more than the limit, and given back slab by slab. (Aligning costs the system up to
 * a page per slab beside what is counted.)
 *
 * <p>Owned by the cache's lock, except {@link #allocate}, which needs none because it takes time.
 */
final class Slabs {

  private static final long PAGE_BYTES = 4096;

  /**
   * A slab has at most this share of the limit, so that giving slabs back follows the limit
   * closely.
   */
  private static final int SHARE = 64;

  private static final int MOST_FRAMES = 512;

  /** Memory of its own for some frames. */
  static final class Slab {
    private final Arena arena;
    private MemorySegment memory = MemorySegment.NULL;
    private Frame[] frames = new Frame[0];
    private int used;
    private boolean retiring;

    private Slab(Arena arena) {
      this.arena = arena;
    }

    /**
     * The bytes of all frames: few objects, so that an access finds them in the processor's cache.
     */
    MemorySegment memory() {
      return memory;
    }
  }

  private final Signal[] signals;
  private final Supplier<Arena> arenas;
  private final List<Slab> slabs = new ArrayList<>();
  private final ArrayDeque<Frame> free = new ArrayDeque<>();

  /** Numbers of frames that are gone. */
  private final ArrayDeque<Integer> numbers = new ArrayDeque<>();

  private int nextNumber;
  private int limit;
  private int growLimit;
  private int total;

  Slabs(int limit, Signal[] signals, Supplier<Arena> arenas) {
    this.arenas = arenas;
    this.limit = limit;
    this.growLimit = limit;
    this.signals = signals;
  }

  int limit() {
    return limit;
  }

  /** Frames that there is memory for, including memory that is just being taken. */
  int total() {
    return total;
  }

  int free() {
    return free.size();
  }

  boolean canGrow() {
    return total < growLimit;
  }

  /**
   * Claims memory for a slab, by the numbers of its frames: to be followed by {@link #allocate} and
   * {@link #add}.
   */
  int[] reserve() {
    int share = Math.clamp(growLimit / SHARE, 1, MOST_FRAMES);
    int[] reserved = new int[Math.min(share, growLimit - total)];
    total += reserved.length;
    for (int i = 0; i < reserved.length; i++) {
      Integer used = numbers.poll();
      reserved[i] = used == null ? nextNumber++ : used;
    }
    return reserved;
  }

  /** Gives back what was reserved but could not be had. */
  void unreserve(int[] reserved) {
    total -= reserved.length;
    for (int number : reserved) {
      numbers.add(number);
    }
  }

  Slab allocate(int[] reserved) {
    Slab slab = new Slab(arenas.get());
    int frames = reserved.length;
    slab.memory = slab.arena.allocate((long) frames * Frame.BYTES, PAGE_BYTES);
    slab.frames = new Frame[frames];
    for (int i = 0; i < frames; i++) {
      MemorySegment memory = slab.memory.asSlice((long) i * Frame.BYTES, Frame.BYTES);
      int number = reserved[i];
      slab.frames[i] = new Frame(number, slab, i, memory, signals[number % signals.length]);
    }
    return slab;
  }

  void add(Slab slab) {
    slabs.add(slab);
    for (int i = slab.frames.length - 1; i >= 0; i--) {
      free.push(slab.frames[i]);
    }
  }

  Frame take() {
    Frame frame = free.pop();
    frame.slab.used++;
    return frame;
  }

  void giveBack(Frame frame) {
    frame.slab.used--;
    if (!frame.slab.retiring) {
      free.push(frame);
    }
  }

  /** Allows more, at once. */
  void raise(int blocks) {
    limit = Math.max(limit, blocks);
    growLimit = blocks;
  }

  /**
   * Starts to shrink: from now on nothing grows beyond {@code blocks}, and the emptiest slabs too
   * many retire.
   */
  void startShrinking(int blocks) {
    growLimit = blocks;
    List<Slab> emptiest = new ArrayList<>(slabs);
    emptiest.sort(Comparator.comparingInt(slab -> slab.used));
    int kept = total;
    for (Slab slab : emptiest) {
      if (kept <= blocks) {
        break;
      }
      slab.retiring = true;
      kept -= slab.frames.length;
    }
    free.removeIf(frame -> frame.slab.retiring);
  }

  /** A retiring slab's frame that still holds a block, null if there is none. */
  @Nullable Frame leftOver() {
    for (Slab slab : slabs) {
      if (slab.retiring && slab.used > 0) {
        for (Frame frame : slab.frames) {
          if (frame.strand != null && !frame.isBusy() && frame.run == null) {
            return frame;
          }
        }
      }
    }
    return null;
  }

  boolean hasLeftOver() {
    for (Slab slab : slabs) {
      if (slab.retiring && slab.used > 0) {
        return true;
      }
    }
    return false;
  }

  /** Moves a block out of its retiring slab: its frame and a free one exchange memory. */
  void move(Frame frame) {
    Frame spare = free.pop();
    MemorySegment.copy(frame.memory, 0, spare.memory, 0, Frame.BYTES);
    MemorySegment memory = frame.memory;
    Slab slab = frame.slab;
    int index = frame.index;
    put(frame, spare.slab, spare.index, spare.memory);
    put(spare, slab, index, memory);
    frame.slab.used++;
    slab.used--;
  }

  private static void put(Frame frame, Slab slab, int index, MemorySegment memory) {
    frame.slab = slab;
    frame.index = index;
    frame.memory = memory;
    slab.frames[index] = frame;
  }

  /** Gives the retiring slabs, all empty now, back to the system. */
  void finishShrinking() {
    slabs.removeIf(
        slab -> {
          if (slab.retiring) {
            total -= slab.frames.length;
            for (Frame frame : slab.frames) {
              numbers.add(frame.number);
            }
            slab.arena.close();
          }
          return slab.retiring;
        });
    limit = growLimit;
  }

  /**
   * Keeps what cannot be given back; the limit becomes what is held, or {@code growLimit} if that
   * is more.
   */
  void abandonShrinking() {
    for (Slab slab : slabs) {
      if (slab.retiring) {
        slab.retiring = false;
        for (Frame frame : slab.frames) {
          if (frame.strand == null) {
            free.push(frame);
          }
        }
      }
    }
    limit = Math.max(total, growLimit);
    growLimit = limit;
  }

  /** Gives all memory back. No frame may be in use. */
  void close() {
    slabs.forEach(slab -> slab.arena.close());
    slabs.clear();
    free.clear();
    total = 0;
  }

  void checkInvariants(int inUse) {
    int frames = 0;
    int used = 0;
    int retiring = 0;
    for (Slab slab : slabs) {
      frames += slab.frames.length;
      used += slab.used;
      retiring += slab.retiring ? slab.frames.length - slab.used : 0;
    }
    Books.check(total <= limit, "frames taken " + total + " > limit " + limit);
    Books.check(frames <= total, "frames " + frames + " > frames counted " + total);
    Books.check(used == inUse, "slabs count " + used + " used frames, there are " + inUse);
    Books.check(
        used + free.size() + retiring == frames,
        "used " + used + " + free " + free.size() + " + retiring " + retiring + " != " + frames);
  }
}
