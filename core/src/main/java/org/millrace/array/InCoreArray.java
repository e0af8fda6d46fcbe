package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * PASSION's in-core local array: memory of a given size that moves over a rank's local array file.
 * Parts are read, computed on and written back; none of it waits for other ranks.
 *
 * <p>Belongs to the rank's thread. Needs no closing.
 */
public final class InCoreArray {

  /** What is done with a part. */
  @FunctionalInterface
  public interface Work {

    /**
     * Computes.
     *
     * @param section where the part lies in the local array
     * @param part its elements, packed in the array's order
     */
    void run(Section section, Local part) throws IOException;
  }

  // constant after construction
  private final GlobalArray local;
  private final int buffers;
  private final Tiling tiling;

  InCoreArray(GlobalArray local, long bytes, int buffers) {
    Parts.checkBuffers(buffers);
    this.local = local;
    this.buffers = buffers;
    this.tiling = Tiling.fitting(local.shape(), local.type().bytes(), bytes / buffers);
  }

  /** How the local array is divided. */
  public Tiling tiling() {
    return tiling;
  }

  /** Reads a part; returns how many bytes that were. */
  public long read(long part, Local into) throws IOException {
    return local.readSectionAlone(tiling.section(part), into);
  }

  /** Writes a part back; returns how many bytes that were. */
  public long write(long part, Local from) throws IOException {
    return local.writeSectionAlone(tiling.section(part), from);
  }

  /** Goes over all parts: while the program works on one the next is read. */
  public void forEach(Work work) throws IOException {
    goOver(false, work);
  }

  /**
   * As {@link #forEach}, and what the program changed is written back behind it, as far as there
   * are buffers for it.
   */
  public void update(Work work) throws IOException {
    goOver(true, work);
  }

  private void goOver(boolean write, Work work) throws IOException {
    Parts.forEach(
        new Parts.Source() {
          @Override
          public long count() {
            return tiling.count();
          }

          @Override
          public long bytes(long part) {
            return shape(part).bytes(local.type().bytes());
          }

          @Override
          public CompletableFuture<Long> read(long part, MemorySegment into) throws IOException {
            return local.readSectionAloneAsync(tiling.section(part), Local.of(into, shape(part)));
          }

          @Override
          public CompletableFuture<Long> write(long part, MemorySegment from) throws IOException {
            return local.writeSectionAloneAsync(tiling.section(part), Local.of(from, shape(part)));
          }
        },
        buffers,
        write,
        (part, memory) -> work.run(tiling.section(part), Local.of(memory, shape(part))));
  }

  private Shape shape(long part) {
    return tiling.shape(part);
  }
}
