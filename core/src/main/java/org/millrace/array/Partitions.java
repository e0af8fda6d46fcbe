package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.Distribution;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * A global array divided into partitions that fit into the memory of all ranks together: PASSION's
 * Partitioned In-Core Model. A partition is loaded, distributed over the ranks, computed on without
 * any I/O, and stored; then comes the next.
 *
 * <p>Loading and storing are collective: all ranks must name the same partition and equal
 * distributions of its shape. Belongs to the rank's thread. Needs no closing; the array stays open.
 */
public final class Partitions {

  /** What a rank does with its part of a partition. */
  @FunctionalInterface
  public interface Work {

    /**
     * Computes.
     *
     * @param partition which one
     * @param distribution how its elements are dealt out
     * @param mine this rank's part, packed in the array's order
     */
    void run(long partition, Distribution distribution, Local mine) throws IOException;
  }

  // constant after construction
  private final GlobalArray array;
  private final long room;
  private final int buffers;
  private final Tiling tiling;

  private Partitions(GlobalArray array, long room, int buffers) {
    this.array = array;
    this.room = room;
    this.buffers = buffers;
    int ranks = array.rank().size();
    this.tiling = new Tiling(array.shape(), PartitionCut.tile(array.shape(), ranks, room));
  }

  /**
   * The largest partitions for which so many bytes of each rank are enough, if three buffers are
   * held: {@link #forEach} computes on one part while the next is loaded and the last one stored.
   */
  public static Partitions of(GlobalArray array, long bytesPerRank) {
    return of(array, bytesPerRank, Parts.MAX_BUFFERS);
  }

  /**
   * The largest partitions for which so many bytes of each rank are enough.
   *
   * @param buffers how many parts a rank holds at a time: 1 for a program that loads, computes and
   *     stores in the same memory, 2 if the next part is loaded meanwhile, 3 if the last one is
   *     stored meanwhile, too. {@link #forEach} holds no more
   */
  public static Partitions of(GlobalArray array, long bytesPerRank, int buffers) {
    Parts.checkBuffers(buffers);
    int elementBytes = array.type().bytes();
    long room = bytesPerRank / buffers / elementBytes;
    if (room < 1) {
      throw new IllegalArgumentException(
          "%s buffers of an element of %s bytes do not fit into %s bytes"
              .formatted(buffers, elementBytes, bytesPerRank));
    }
    return new Partitions(array, room, buffers);
  }

  /** How many there are. */
  public long count() {
    return tiling.count();
  }

  /** Which elements of the array a partition has. */
  public Section section(long partition) {
    return tiling.section(partition);
  }

  /** The shape of a partition as an array of its own. */
  public Shape shape(long partition) {
    return tiling.shape(partition);
  }

  /**
   * A partition dealt out so that every rank has a part and none exceeds its memory: in blocks
   * along the slowest dimension, and along as many others as it takes. Where blocks would leave a
   * rank without any, indices are dealt out in turn.
   */
  public Distribution blocks(long partition) {
    return PartitionCut.parts(shape(partition), array.rank().size(), room);
  }

  /** Reads this rank's part of a partition. Returns how many bytes that were. */
  public long load(long partition, Distribution distribution, Local into) throws IOException {
    return reading(partition, distribution, into).readAll();
  }

  /** Writes this rank's part of a partition. Returns how many bytes that were. */
  public long store(long partition, Distribution distribution, Local from) throws IOException {
    return writing(partition, distribution, from).writeAll();
  }

  /** As {@link #load}, while the program goes on. */
  public CompletableFuture<Long> loadAsync(long partition, Distribution distribution, Local into)
      throws IOException {
    return reading(partition, distribution, into).readAllAsync();
  }

  /** As {@link #store}, while the program goes on. */
  public CompletableFuture<Long> storeAsync(long partition, Distribution distribution, Local from)
      throws IOException {
    return array.untilWritten(writing(partition, distribution, from).writeAllAsync());
  }

  /**
   * Goes over all partitions, each dealt out in {@link #blocks}: while the ranks work on one the
   * next is loaded. Collective.
   */
  public void forEach(Work work) throws IOException {
    goOver(false, work);
  }

  /**
   * As {@link #forEach}, and what the ranks changed is stored behind them, as far as there are
   * buffers for it.
   */
  public void update(Work work) throws IOException {
    goOver(true, work);
  }

  private void goOver(boolean store, Work work) throws IOException {
    Parts.forEach(
        new Parts.Source() {
          @Override
          public long count() {
            return Partitions.this.count();
          }

          @Override
          public long bytes(long part) {
            return mine(part).bytes(array.type().bytes());
          }

          @Override
          public CompletableFuture<Long> read(long part, MemorySegment into) throws IOException {
            return loadAsync(part, blocks(part), Local.of(into, mine(part)));
          }

          @Override
          public CompletableFuture<Long> write(long part, MemorySegment from) throws IOException {
            return storeAsync(part, blocks(part), Local.of(from, mine(part)));
          }
        },
        buffers,
        store,
        (part, memory) -> work.run(part, blocks(part), Local.of(memory, mine(part))));
  }

  private Shape mine(long partition) {
    return blocks(partition).localShape(array.rank().number());
  }

  private Transfer reading(long partition, Distribution distribution, Local into) {
    return Transfer.together(
        array.arrayFile(),
        () ->
            Transfer.read(
                array.arrayFile(), array.placement(), () -> part(partition, distribution), into));
  }

  private Transfer writing(long partition, Distribution distribution, Local from) {
    array.written();
    return Transfer.together(
        array.arrayFile(),
        () ->
            Transfer.write(
                array.arrayFile(), array.placement(), () -> part(partition, distribution), from));
  }

  /** A partition lies in one piece in a file without chunks: it is an array of its own there. */
  private Placement.Part part(long partition, Distribution distribution) {
    return array
        .placement()
        .distributed(section(partition), distribution, array.rank().number(), array.rank().size());
  }
}
