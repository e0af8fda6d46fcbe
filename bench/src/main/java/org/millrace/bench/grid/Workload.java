package org.millrace.bench.grid;

import java.util.List;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.View;

/**
 * Which bytes of one file each rank moves in one collective call. Immutable.
 *
 * @param suite the benchmark it belongs to
 * @param name for people
 * @param fileBytes the file's size
 * @param scattered whether the ranks' requests are many small pieces, so that gathering them pays
 * @param ops what is done with it
 * @param parts what each rank wants, by rank
 */
public record Workload(
    String suite, String name, long fileBytes, boolean scattered, Ops ops, List<Part> parts) {

  /** What is done with a workload. */
  public enum Ops {
    /** Only reading: what the paper measures, or too much for a memory. */
    READ,
    /** Reading, then writing. Where ranks want the same bytes they write the same. */
    READ_AND_WRITE
  }

  /**
   * Nested loops over a run, packed in memory in file order.
   *
   * @param offset of the first run in the file
   * @param runBytes bytes of each run; 0 if the rank wants nothing
   * @param loops innermost first
   * @param array what it is of an array; empty if the file is no array, or this no section of it
   */
  public record Part(long offset, long runBytes, List<Loop> loops, Optional<ArrayPart> array) {

    /** Wants nothing. */
    static final Part NOTHING = new Part(0, 0, List.of());

    public Part {
      loops = List.copyOf(loops);
    }

    /** Of no array. */
    public Part(long offset, long runBytes, List<Loop> loops) {
      this(offset, runBytes, loops, Optional.empty());
    }

    /** The same bytes as a section of an array of words that begins with the file. */
    Part in(Shape shape, Section section) {
      return new Part(offset, runBytes, loops, Optional.of(new ArrayPart(shape, section)));
    }

    /** The same bytes, of no array. */
    public Part plain() {
      return new Part(offset, runBytes, loops);
    }

    /** How many runs there are; neighbours that touch count as two. */
    public long runs() {
      long runs = runBytes == 0 ? 0 : 1;
      for (Loop loop : loops) {
        runs *= loop.count();
      }
      return runs;
    }

    /** Bytes that the rank moves. */
    public long size() {
      long size = runBytes;
      for (Loop loop : loops) {
        size *= loop.count();
      }
      return size;
    }

    /** The part as the core reads and writes it. */
    public Access access() {
      if (size() == 0) {
        return Access.NOTHING;
      }
      Pattern pattern = Pattern.run(runBytes);
      for (Loop loop : loops) {
        pattern = Pattern.loop(loop.count(), loop.stride(), pattern);
      }
      return new Access(new View(offset, pattern, pattern.end()), 0, pattern.size());
    }
  }

  /** A section of an array. */
  record ArrayPart(Shape shape, Section section) {}

  /** So often, so many bytes apart. */
  public record Loop(long count, long stride) {}

  public Workload {
    parts = List.copyOf(parts);
  }

  /** Bytes moved by all ranks together. */
  public long size() {
    return parts.stream().mapToLong(Part::size).sum();
  }

  /** Runs of all ranks together. */
  public long runs() {
    return parts.stream().mapToLong(Part::runs).sum();
  }

  /** How many ranks take part. */
  public int ranks() {
    return parts.size();
  }
}
