package org.millrace.bench.grid;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.WrongResultException;

/**
 * The memory of all ranks of a workload, and what must be in it. The word at byte 8k of a file is
 * k; what a benchmark writes is, in turns, that word and its complement, so that each write changes
 * every byte it should and a byte that was not written is seen.
 *
 * <p>Ranks fill and check their own part only. The memory belongs to the arena it was made with and
 * is used for one workload after the other, since touching fresh memory is slow.
 */
public final class RankMemory {

  private static final byte POISON = 0x5A;

  // constant after construction
  private final MemorySegment targets;
  private final MemorySegment words;
  private final MemorySegment complements;
  private final long limit;

  /** What belongs to one rank. */
  private record Place(Workload.Part part, long at) {}

  private List<Place> places = List.of();

  /** Room for workloads of up to so many bytes, of all ranks together. */
  public RankMemory(Arena arena, long bytes) {
    limit = Math.max(Long.BYTES, bytes);
    targets = arena.allocate(limit, 4096);
    words = arena.allocate(limit, 4096);
    complements = arena.allocate(limit, 4096);
  }

  /** Prepares for a workload; one thread, before the ranks begin. */
  public void lay(Workload workload) {
    if (workload.size() > limit) {
      throw new IllegalArgumentException(workload.size() + " bytes, there is room for " + limit);
    }
    List<Place> laid = new ArrayList<>();
    long at = 0;
    for (Workload.Part part : workload.parts()) {
      laid.add(new Place(part, at));
      at += part.size();
    }
    places = List.copyOf(laid);
  }

  /** Sets what must be read and what is written by a rank. */
  public void fill(int rank) {
    Place place = places.get(rank);
    MemorySegment mine = slice(words, place);
    MemorySegment other = slice(complements, place);
    long[] at = {0};
    forEachRun(
        place.part,
        place.part.loops().size() - 1,
        place.part.offset(),
        offset -> {
          for (long b = 0; b < place.part.runBytes(); b += Long.BYTES) {
            long word = (offset + b) / Long.BYTES;
            mine.set(JAVA_LONG, at[0], word);
            other.set(JAVA_LONG, at[0], ~word);
            at[0] += Long.BYTES;
          }
        });
  }

  interface RunVisitor {
    void visit(long fileOffset);
  }

  /** The naive way through all runs, in the order of memory. */
  static void forEachRun(Workload.Part part, int loop, long at, RunVisitor visitor) {
    if (part.runBytes() == 0) {
      return;
    }
    if (loop < 0) {
      visitor.visit(at);
      return;
    }
    Workload.Loop one = part.loops().get(loop);
    for (long i = 0; i < one.count(); i++) {
      forEachRun(part, loop - 1, at + i * one.stride(), visitor);
    }
  }

  /** Where a rank reads to. */
  MemorySegment target(int rank) {
    return slice(targets, places.get(rank));
  }

  /** What a rank writes: the words, or their complements. */
  MemorySegment source(int rank, boolean complement) {
    return slice(complement ? complements : words, places.get(rank));
  }

  /** Makes sure that what was read before is not taken for what is read next. */
  public void poison(int rank) {
    target(rank).fill(POISON);
  }

  /** Throws unless a rank has read what it should, in its first {@code bytes}. */
  public void check(int rank, long bytes) {
    checkWritten(rank, bytes, false);
  }

  /** The same for what was read of what was written before. */
  void checkWritten(int rank, long bytes, boolean complement) {
    MemorySegment found = target(rank).asSlice(0, bytes);
    long differs = found.mismatch(source(rank, complement).asSlice(0, bytes));
    if (differs >= 0) {
      throw new WrongResultException(
          "rank %s read a wrong byte at %s of %s".formatted(rank, differs, bytes));
    }
  }

  private static MemorySegment slice(MemorySegment all, Place place) {
    return all.asSlice(place.at, place.part.size());
  }
}
