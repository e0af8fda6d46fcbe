package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A section in memory that moves over an array. Elements that the next section shares with this one
 * are copied in memory; only the missing boxes are read. If the section after it is known, too, its
 * missing boxes are read while the program works on this one.
 *
 * <pre>
 *   this  +-------+            next shares the middle: one box is read
 *         |    +--|----+
 *         |    |::|    |       :: copied from memory
 *         +----|--+    |
 *              +-------+       the rest of next: at most two boxes for each dimension
 * </pre>
 *
 * <p>Parts are reused as they are in the window's memory, with whatever the program has changed
 * there, until the array is written: a collective write, or one of this rank through this array,
 * makes all that was read before old, and the window reads it again. Sections whose strides do not
 * fit together share nothing. A window does not notice what other ranks write for themselves.
 *
 * <p>The memory that {@link #next(Section)} returns is the window's: it is good until the next
 * call, packed in the array's order, and holds the bytes as they are in the file. In a collective
 * window all ranks must make the same calls, each with its own sections.
 *
 * <p>Belongs to the rank's thread. Closing waits for what is under way; it is idempotent.
 */
public final class SectionWindow implements AutoCloseable {

  /** A section in memory, or on its way there. */
  private static final class Held {
    private MemorySegment buffer = MemorySegment.NULL;
    private @Nullable Section section;
    private @Nullable Section shared;
    private long version;
    private List<CompletableFuture<Long>> moving = new ArrayList<>();
  }

  // constant after construction
  private final GlobalArray array;
  private final boolean collective;
  private final int elementBytes;

  // owned by the rank's thread
  private Held current = new Held();
  private Held coming = new Held();
  private long bytesRead;
  private long bytesReused;
  private long prefetched;
  private long inTime;

  SectionWindow(GlobalArray array, boolean collective) {
    this.array = array;
    this.collective = collective;
    this.elementBytes = array.type().bytes();
  }

  /** Moves to a section. */
  public Local next(Section section) throws IOException {
    return next(section, Optional.empty());
  }

  /** Moves to a section, and begins to read what is missing of the one that will follow. */
  public Local next(Section section, Section following) throws IOException {
    return next(section, Optional.of(following));
  }

  private Local next(Section section, Optional<Section> following) throws IOException {
    boolean mine = section.equals(coming.section) && coming.version == array.writes();
    // a window moves together: what one rank has to read, all ranks read together
    if (isEverywhere(mine)) {
      if (coming.moving.stream().allMatch(CompletableFuture::isDone)) {
        inTime++;
      }
      arrive();
    } else {
      drop();
      start(section);
      arrive();
    }
    if (following.isPresent()) {
      start(following.get());
      prefetched++;
    }
    return Local.of(current.buffer, shape(section));
  }

  private boolean isEverywhere(boolean mine) throws IOException {
    if (!collective) {
      return mine;
    }
    return array.rank().allReduceLong(mine ? 1 : 0, Math::min) == 1;
  }

  private Shape shape(Section section) {
    return section.shape(array.shape().order());
  }

  /** Begins to read what of a section is not in the current one. */
  private void start(Section section) throws IOException {
    List<Section> missing = new ArrayList<>();
    RuntimeException wrong = null;
    try {
      missing = prepare(section);
    } catch (RuntimeException e) {
      wrong = e;
    }
    long calls = missing.size();
    if (collective) {
      calls = array.rank().allReduceLong(wrong != null ? Long.MAX_VALUE : calls, Math::max);
    }
    if (wrong != null || calls == Long.MAX_VALUE) {
      refuse(section, wrong);
      return;
    }
    Local whole = Local.of(coming.buffer, shape(section));
    for (int i = 0; i < calls; i++) {
      Section box = i < missing.size() ? missing.get(i) : nothing(section);
      Section outer = Boxes.outside(section, box);
      Local into = box.isEmpty() ? whole : whole.startingAt(lowers(box));
      coming.moving.add(
          collective
              ? array.readSectionAsync(outer, into)
              : array.readSectionAloneAsync(outer, into));
      bytesRead += outer.elements() * elementBytes;
    }
  }

  /** All ranks fail together, by the meeting that this makes. */
  private void refuse(Section section, @Nullable RuntimeException wrong) throws IOException {
    coming.section = null;
    if (!collective && wrong != null) {
      throw wrong;
    }
    Section mine = wrong == null ? nothing(section) : section;
    array.readSection(mine, Local.nothing(array.shape().dimensions()));
    throw wrong == null ? new IllegalStateException("no rank refused " + section) : wrong;
  }

  private static Section nothing(Section like) {
    return new Section(like.ranges().stream().map(_ -> Range.EMPTY).toList());
  }

  /** Makes room for a section and finds what of it must be read. */
  private List<Section> prepare(Section section) {
    long bytes = array.placement().section(section).size();
    long version = array.writes();
    Section before = current.version == version ? current.section : null;
    Section shared = before == null ? nothing(section) : Boxes.shared(before, section);
    if (coming.buffer.byteSize() < bytes) {
      coming.buffer = Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    coming.section = section;
    coming.shared = shared;
    coming.version = version;
    return Boxes.without(shape(section), Boxes.inside(section, shared));
  }

  /** Waits for what is missing, copies what is shared, and makes the coming section the current. */
  private void arrive() throws IOException {
    List<CompletableFuture<Long>> moving = coming.moving;
    coming.moving = new ArrayList<>();
    IOException failure = null;
    for (CompletableFuture<Long> one : moving) {
      try {
        Transfer.await(one);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      } catch (RuntimeException e) { // the others must end before their memory is used again
        failure =
            failure == null ? new MillraceException(ErrorCode.INVALID, e.toString(), e) : failure;
      }
    }
    Section next = coming.section;
    if (failure != null) {
      coming.section = null;
      throw failure;
    }
    if (next == null) {
      throw new IllegalStateException("nothing is coming");
    }
    copyShared(next);
    Held last = current;
    current = coming;
    coming = last;
    coming.section = null;
  }

  private void copyShared(Section next) {
    Section before = current.section;
    Section shared = coming.shared;
    if (before == null || shared == null || shared.isEmpty()) {
      return;
    }
    Boxes.copy(
        current.buffer,
        shape(before),
        Boxes.inside(before, shared),
        coming.buffer,
        shape(next),
        Boxes.inside(next, shared),
        elementBytes);
    bytesReused += shared.elements() * elementBytes;
  }

  private static long[] lowers(Section box) {
    return box.ranges().stream().mapToLong(Range::lower).toArray();
  }

  /** Forgets a section that was named as following and did not follow. */
  private void drop() {
    for (CompletableFuture<Long> one : coming.moving) {
      one.exceptionally(_ -> 0L).join();
    }
    coming.moving = new ArrayList<>();
    coming.section = null;
  }

  /** Bytes of all boxes that were read. */
  public long bytesRead() {
    return bytesRead;
  }

  /** Bytes that were copied from the section before instead. */
  public long bytesReused() {
    return bytesReused;
  }

  /** How many sections were begun ahead of time. */
  public long prefetched() {
    return prefetched;
  }

  /** How many of those were there when the program came to them. */
  public long inTime() {
    return inTime;
  }

  @Override
  public void close() {
    drop();
    current = new Held();
    coming = new Held();
  }
}
