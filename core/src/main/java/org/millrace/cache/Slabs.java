package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockSize;
import org.millrace.env.Signal;

/**
 * The memory of the blocks: off-heap, page-aligned, allocated on demand in slabs of several frames,
 * never more than the limit, and freed slab by slab. (Alignment costs up to a page per slab, and so
 * do versions of frames, or 8 bytes a frame: these are not counted.)
 *
 * <p>All frames of a slab have one size, and the slabs of one size are a pool. The limit is one for
 * all pools, in bytes: {@link #reclaim} gives a slab of another pool back so that this one can
 * grow.
 *
 * <p>Sizes are given as powers of two. Owned by the cache's lock, except {@link #allocate}, which
 * needs none because it takes time.
 */
final class Slabs {

  /** Sizes are powers of two below this one. */
  static final int SIZES = Integer.numberOfTrailingZeros(BlockSize.MAX_BYTES) + 1;

  /**
   * A slab has at most this share of the limit, so that giving slabs back follows the limit
   * closely.
   */
  private static final int SHARE = 64;

  private static final long MAX_SLAB_BYTES = 32 << 20;

  /**
   * The first slabs are no larger than this, however large the cache may become: the thread that
   * needs the first block waits until the kernel has cleared all of a slab, if it is shared or
   * small.
   */
  private static final long FIRST_SLAB_BYTES = 4 << 20;

  /** Later slabs are this part of what there is. */
  private static final int GROWTH_SHARE = 16;

  /** Memory of its own for some frames of one size. */
  static final class Slab {
    private final SlabMemory.Piece piece;
    private final MemorySegment memory;
    private final int shift;
    private Frame[] frames = new Frame[0];
    private int used;
    private boolean retiring;

    /** Which one it is: none that is there has the same number, none that ever was has both. */
    private int number = -1;

    private int generation;

    private Slab(SlabMemory.Piece piece, int shift) {
      this.piece = piece;
      this.memory = piece.memory();
      this.shift = shift;
    }

    int number() {
      return number;
    }

    int generation() {
      return generation;
    }

    /** What other processes map it by; empty if they cannot. */
    String name() {
      return piece.name();
    }

    /**
     * The bytes of all frames: few objects, so that an access finds them in the processor's cache.
     */
    MemorySegment memory() {
      return memory;
    }

    private long bytes() {
      return (long) frames.length << shift;
    }

    /** How many bytes other processes map. */
    long mappedBytes() {
      return piece.mappedBytes();
    }

    /** Tells other processes that a frame holds all of a block. */
    void publish(int index) {
      piece.publish(index);
    }

    /** Tells them that it may hold anything, before it does. */
    void withdraw(int index) {
      piece.withdraw(index);
    }

    /** Whether other processes have read it since this was asked last. */
    boolean takeMark(int index) {
      return piece.takeMark(index);
    }
  }

  /** Memory that was claimed but is not there yet, by the numbers of its frames. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Reservation(int shift, int[] numbers) {
    private long bytes() {
      return (long) numbers.length << shift;
    }
  }

  private final Signal[] signals;
  private final SlabMemory source;
  private final List<Slab> slabs = new ArrayList<>();

  /** The slabs by number, with holes where one is gone. */
  private final List<@Nullable Slab> byNumber = new ArrayList<>();

  private int generations;

  /** The free frames of each size, but those of retiring slabs. */
  private final List<ArrayDeque<Frame>> free = new ArrayList<>();

  /** Numbers of frames that are gone. */
  private final ArrayDeque<Integer> numbers = new ArrayDeque<>();

  private int nextNumber;
  private long limit;
  private long growLimit;
  private long total;

  /** Slabs of each size. */
  private final int[] counts = new int[SIZES];

  Slabs(long limit, Signal[] signals, SlabMemory source) {
    this.source = source;
    this.limit = CacheOptions.rounded(limit);
    this.growLimit = this.limit;
    this.signals = signals;
    for (int shift = 0; shift < SIZES; shift++) {
      free.add(new ArrayDeque<>());
    }
  }

  long limitBytes() {
    return limit;
  }

  /** What the limit will be when shrinking is over. */
  long growLimitBytes() {
    return growLimit;
  }

  /** Memory for frames, including memory that is just being taken. */
  long totalBytes() {
    return total;
  }

  /** Free frames for blocks of the strand. */
  int free(Strand strand) {
    return free(strand.shift);
  }

  int free(int shift) {
    return free.get(shift).size();
  }

  boolean canGrow(int shift) {
    return total + (1L << shift) <= growLimit;
  }

  /** Whether there are frames of this size. */
  boolean has(int shift) {
    return counts[shift] > 0;
  }

  /**
   * Claims memory for a slab: to be followed by {@link #allocate} and {@link #add}. There must be
   * room for a frame.
   */
  Reservation reserve(int shift) {
    long most = Math.min(growLimit - total, Math.min(growLimit / SHARE, MAX_SLAB_BYTES));
    long bytes = Math.min(most, Math.max(FIRST_SLAB_BYTES, total / GROWTH_SHARE));
    int[] reserved = new int[(int) Math.max(1, bytes >>> shift)];
    total += (long) reserved.length << shift;
    for (int i = 0; i < reserved.length; i++) {
      Integer used = numbers.poll();
      reserved[i] = used == null ? nextNumber++ : used;
    }
    return new Reservation(shift, reserved);
  }

  /** Gives back what was reserved but could not be had. */
  void unreserve(Reservation reserved) {
    total -= reserved.bytes();
    for (int number : reserved.numbers) {
      numbers.add(number);
    }
  }

  Slab allocate(Reservation reserved) {
    int frames = reserved.numbers.length;
    long bytes = 1L << reserved.shift;
    Slab slab = new Slab(source.take(frames * bytes, frames), reserved.shift);
    slab.frames = new Frame[frames];
    for (int i = 0; i < frames; i++) {
      MemorySegment memory = slab.memory.asSlice(i * bytes, bytes);
      int number = reserved.numbers[i];
      slab.frames[i] = new Frame(number, slab, i, memory, signals[number % signals.length]);
    }
    return slab;
  }

  void add(Slab slab) {
    slabs.add(slab);
    slab.number = byNumber.indexOf(null);
    slab.generation = ++generations;
    if (slab.number < 0) {
      slab.number = byNumber.size();
      byNumber.add(slab);
    } else {
      byNumber.set(slab.number, slab);
    }
    counts[slab.shift]++;
    for (int i = slab.frames.length - 1; i >= 0; i--) {
      free.get(slab.shift).push(slab.frames[i]);
    }
  }

  /** The slab of a number and generation, null if it is gone. */
  @Nullable Slab find(int number, int generation) {
    Slab found = number < 0 || number >= byNumber.size() ? null : byNumber.get(number);
    return found == null || found.generation != generation ? null : found;
  }

  Frame take(int shift) {
    Frame frame = free.get(shift).pop();
    frame.slab.used++;
    return frame;
  }

  void giveBack(Frame frame) {
    frame.slab.used--;
    if (!frame.slab.retiring) {
      free.get(frame.slab.shift).push(frame);
    }
  }

  /**
   * Gives slabs of other sizes back until there is room for a frame of this size; returns whether
   * there is. Only slabs go whose blocks, if there are any, have room in other slabs of their size.
   */
  boolean reclaim(int shift) {
    while (!canGrow(shift)) {
      Slab emptiest = null;
      for (int other = 0; other < SIZES; other++) {
        if (other != shift && !free.get(other).isEmpty()) {
          emptiest = emptier(emptiest, other);
        }
      }
      if (emptiest == null) {
        return false;
      }
      dissolve(emptiest);
    }
    return true;
  }

  /** The slab of {@code shift} that can be dissolved with the fewest copies, or {@code best}. */
  private @Nullable Slab emptier(@Nullable Slab best, int shift) {
    Slab found = best;
    for (Slab slab : slabs) {
      if (slab.shift == shift
          && !slab.retiring
          && slab.frames.length <= free(shift)
          && (found == null || usedBytes(slab) < usedBytes(found))
          && isIdle(slab)) {
        found = slab;
      }
    }
    return found;
  }

  private static long usedBytes(Slab slab) {
    return (long) slab.used << slab.shift;
  }

  private static boolean isIdle(Slab slab) {
    for (Frame frame : slab.frames) {
      if (frame.quarantined || (!isMovable(frame) && frame.strand != null)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the frame holds a block that is not in use. */
  private static boolean isMovable(Frame frame) {
    return frame.strand != null && !frame.isBusy() && frame.run == null;
  }

  private void dissolve(Slab slab) {
    free.get(slab.shift).removeIf(frame -> frame.slab == slab);
    for (int i = 0; i < slab.frames.length; i++) {
      Frame frame = slab.frames[i];
      if (frame.strand != null) {
        move(frame);
      }
    }
    slabs.remove(slab);
    release(slab);
  }

  /** Gives the memory of a slab without blocks back to the system. */
  private void release(Slab slab) {
    counts[slab.shift]--;
    total -= slab.bytes();
    for (Frame frame : slab.frames) {
      numbers.add(frame.number);
    }
    byNumber.set(slab.number, null);
    slab.piece.giveBack();
  }

  /** Allows more, at once. */
  void raise(long bytes) {
    limit = Math.max(limit, bytes);
    growLimit = bytes;
  }

  /**
   * Starts to shrink: from now on nothing grows beyond {@code bytes}, and the emptiest slabs too
   * many retire.
   */
  void startShrinking(long bytes) {
    growLimit = bytes;
    List<Slab> emptiest = new ArrayList<>(slabs);
    emptiest.sort(Comparator.comparingLong(Slabs::usedBytes));
    long kept = total;
    for (Slab slab : emptiest) {
      if (kept <= bytes) {
        break;
      }
      if (!hasQuarantined(slab)) {
        slab.retiring = true;
        kept -= slab.bytes();
      }
    }
    free.forEach(frames -> frames.removeIf(frame -> frame.slab.retiring));
  }

  /** Whether a silent process may still touch some of it. */
  private static boolean hasQuarantined(Slab slab) {
    for (Frame frame : slab.frames) {
      if (frame.quarantined) {
        return true;
      }
    }
    return false;
  }

  /** Whether nothing but slabs with quarantined frames is beyond {@code bytes}. */
  boolean isAsSmallAsPossible(long bytes) {
    return total <= bytes || slabs.stream().allMatch(Slabs::hasQuarantined);
  }

  /** A block of a retiring slab that can move to a free frame, null if there is none. */
  @Nullable Frame movable() {
    for (Slab slab : slabs) {
      if (slab.retiring && slab.used > 0 && free(slab.shift) > 0) {
        for (Frame frame : slab.frames) {
          if (isMovable(frame)) {
            return frame;
          }
        }
      }
    }
    return null;
  }

  /** A size of which retiring slabs still hold blocks, -1 if there is none. */
  int leftOver() {
    for (Slab slab : slabs) {
      if (slab.retiring && slab.used > 0) {
        return slab.shift;
      }
    }
    return -1;
  }

  /** Moves a block out of its slab: its frame and a free one exchange memory. */
  void move(Frame frame) {
    exchange(frame).slab.used--;
  }

  /**
   * Gives a block's frame a copy in other memory; returns the frame that has its old memory now,
   * which is still counted as used. There must be a free frame.
   */
  Frame exchange(Frame frame) {
    Frame spare = free.get(frame.slab.shift).pop();
    frame.slab.withdraw(frame.index);
    MemorySegment.copy(frame.memory, 0, spare.memory, 0, frame.bytes);
    MemorySegment memory = frame.memory;
    Slab slab = frame.slab;
    int index = frame.index;
    put(frame, spare.slab, spare.index, spare.memory);
    put(spare, slab, index, memory);
    frame.slab.used++;
    return spare;
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
            release(slab);
          }
          return slab.retiring;
        });
    limit = Math.max(total, growLimit);
    growLimit = limit;
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
          if (frame.strand == null && !frame.quarantined) {
            free.get(slab.shift).push(frame);
          }
        }
      }
    }
    limit = Math.max(total, growLimit);
    growLimit = limit;
  }

  /** Nobody is to read from here any more without asking. */
  void withdrawAll() {
    for (Slab slab : slabs) {
      for (Frame frame : slab.frames) {
        slab.withdraw(frame.index);
      }
    }
  }

  /** Gives all memory back. No frame may be in use. */
  void close() {
    for (Slab slab : slabs) {
      if (!hasQuarantined(slab)) { // else a reader that stalls would find zeros
        slab.piece.giveBack();
      }
    }
    slabs.clear();
    byNumber.clear();
    free.forEach(ArrayDeque::clear);
    total = 0;
  }

  void checkInvariants(int inUse) {
    int frames = 0;
    long bytes = 0;
    int used = 0;
    int retiring = 0;
    for (Slab slab : slabs) {
      frames += slab.frames.length;
      bytes += slab.bytes();
      used += slab.used;
      retiring += slab.retiring ? slab.frames.length - slab.used : 0;
      for (Frame frame : slab.frames) {
        CacheState.check(
            !slab.piece.isPublished(frame.index) || frame.strand != null && frame.isFull(),
            frame + " is published");
      }
    }
    int unused = free.stream().mapToInt(ArrayDeque::size).sum();
    CacheState.check(total <= limit, "bytes taken " + total + " > limit " + limit);
    CacheState.check(bytes <= total, "bytes " + bytes + " > bytes counted " + total);
    CacheState.check(used == inUse, "slabs count " + used + " used frames, there are " + inUse);
    CacheState.check(
        used + unused + retiring == frames,
        "used " + used + " + free " + unused + " + retiring " + retiring + " != " + frames);
  }
}
