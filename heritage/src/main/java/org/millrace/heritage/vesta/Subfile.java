package org.millrace.heritage.vesta;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * An open subfile. Offsets are bytes of it, in the order of its records.
 *
 * <p>There is no seek, as there was none: an access may bring its offset. Where the process has an
 * offset of its own, this goes on behind such an access; an offset that processes share stays where
 * it is, and in modes D to F, where all move together, it is an error to bring one.
 *
 * <p>Reads are short where the subfile's order first leaves the file; the shared or own offset
 * moves by what was read. The text is silent about this.
 *
 * <p>Belongs to the rank's thread. Closing waits for all processes that share the offset.
 */
public final class Subfile implements AutoCloseable {

  // constant after construction
  private final Rank group;
  private final SharedFile file;
  private final SpmdMode mode;

  Subfile(Rank group, SharedFile file, SpmdMode mode) {
    this.group = group;
    this.file = file;
    this.mode = mode;
  }

  /** Bytes of a basic striping unit. */
  public long bsuBytes() {
    return file.layout().stripeUnitBytes();
  }

  /** How many cells the file has. */
  public int cells() {
    return file.layout().strands();
  }

  /** The subfile as a view of the plain file. */
  public View view() {
    return file.view();
  }

  /** Where the next access without an offset goes. */
  public long offset() throws IOException {
    return file.position();
  }

  /** Bytes of the whole file. */
  public long fileBytes() throws IOException {
    return file.size();
  }

  /**
   * Reads on.
   *
   * @throws VestaException on all processes, if in mode E their sizes differ; nothing has moved
   */
  public long read(MemorySegment into) throws IOException {
    checkSizes(into.byteSize());
    return file.read(into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Reads at an offset. */
  public long read(long offset, MemorySegment into) throws IOException {
    checkOffsetAllowed();
    return wentOn(offset, file.readAt(offset, into));
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long offset, byte[] into) throws IOException {
    return read(offset, MemorySegment.ofArray(into));
  }

  /**
   * Writes on.
   *
   * @throws VestaException as {@link #read(MemorySegment)}
   */
  public long write(MemorySegment from) throws IOException {
    checkSizes(from.byteSize());
    return file.write(from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** Writes at an offset. */
  public long write(long offset, MemorySegment from) throws IOException {
    checkOffsetAllowed();
    return wentOn(offset, file.writeAt(offset, from));
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long offset, byte[] from) throws IOException {
    return write(offset, MemorySegment.ofArray(from));
  }

  private void checkSizes(long bytes) throws IOException {
    if (mode != SpmdMode.E) {
      return;
    }
    List<Long> sizes = group.allGather(bytes);
    if (sizes.stream().distinct().count() > 1) {
      throw new VestaException("sizes " + sizes + " in mode E, where they must be equal");
    }
  }

  private void checkOffsetAllowed() {
    if (mode.sharesOffset() && mode != SpmdMode.C) {
      throw new IllegalStateException("an access with an offset of its own in mode " + mode);
    }
  }

  private long wentOn(long offset, long moved) throws IOException {
    if (!mode.sharesOffset() && moved > 0) {
      file.seek(offset + moved);
    }
    return moved;
  }

  /** Makes what was written durable and closes. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
