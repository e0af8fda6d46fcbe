package org.millrace.heritage.vesta;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.Agreement;
import org.millrace.client.Buffers;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;

/**
 * An open subfile. Offsets are bytes of it, in the order of its records.
 *
 * <p>There is no seek, as there was none: an access may bring its offset. Where the process has an
 * offset of its own, this goes on behind such an access; an offset that processes share stays where
 * it is, and in modes D to F, where all move together, it is an error to bring one.
 *
 * <p>Each cell has an end of its own, and a subfile ends behind the last byte that its cells have:
 * there reads are short, and the shared or own offset moves by what was read. What a cell does not
 * have before that is zeros. The text is silent about this.
 *
 * <p>Belongs to the rank's thread. Closing waits for all processes that share the offset.
 */
public final class Subfile implements AutoCloseable {

  /** What all processes come to in mode E. */
  private enum Call {
    READ,
    WRITE,
    CLOSE
  }

  private static final Memory NOTHING = Memory.of(List.of());
  private static final long UNFIT = -1; // instead of a size: memory that cannot be used

  // constant after construction
  private final Rank group;
  private final SharedFile file;
  private final SpmdMode mode;

  // the rank's thread
  private boolean endsItsGroup;

  Subfile(Rank group, SharedFile file, SpmdMode mode) {
    this.group = group;
    this.file = file;
    this.mode = mode;
  }

  /** The group is this subfile's alone, and is left when it is closed. */
  Subfile endingItsGroup() {
    endsItsGroup = true;
    return this;
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

  /** Bytes of the subfile: where reads of it end. */
  public long bytes() throws IOException {
    return file.endPosition();
  }

  /** Bytes of the whole file. */
  public long fileBytes() throws IOException {
    return file.size();
  }

  /**
   * Reads on.
   *
   * @throws VestaException on all processes, if in mode E their sizes differ; nothing has moved. In
   *     modes D to F, if this process's memory cannot be used: then it fails on all, too
   */
  public long read(MemorySegment into) throws IOException {
    return file.read(enter(Call.READ, into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(int[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(double[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(ByteBuffer into) throws IOException {
    return read(Buffers.of(into));
  }

  /** Reads at an offset. */
  public long read(long offset, MemorySegment into) throws IOException {
    checkOffsetAllowed();
    return wentOn(offset, file.at(offset).read(Buffers.of(into)));
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long offset, byte[] into) throws IOException {
    return read(offset, Buffers.of(into));
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long offset, int[] into) throws IOException {
    return read(offset, Buffers.of(into));
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long offset, double[] into) throws IOException {
    return read(offset, Buffers.of(into));
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long offset, ByteBuffer into) throws IOException {
    return read(offset, Buffers.of(into));
  }

  /**
   * Writes on.
   *
   * @throws VestaException as {@link #read(MemorySegment)}
   */
  public long write(MemorySegment from) throws IOException {
    return file.write(enter(Call.WRITE, from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(int[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(double[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(ByteBuffer from) throws IOException {
    return write(Buffers.of(from));
  }

  /** Writes at an offset. */
  public long write(long offset, MemorySegment from) throws IOException {
    checkOffsetAllowed();
    return wentOn(offset, file.at(offset).write(Buffers.of(from)));
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long offset, byte[] from) throws IOException {
    return write(offset, Buffers.of(from));
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long offset, int[] from) throws IOException {
    return write(offset, Buffers.of(from));
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long offset, double[] from) throws IOException {
    return write(offset, Buffers.of(from));
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long offset, ByteBuffer from) throws IOException {
    return write(offset, Buffers.of(from));
  }

  /** Before an access at the common offset: memory that is not fit fails on all that wait. */
  private MemorySegment enter(Call call, MemorySegment given) throws IOException {
    MemorySegment memory = Buffers.of(given);
    if (file.isClosed()) {
      return memory; // the access says so, and nobody else comes
    }
    boolean write = call == Call.WRITE;
    Memory all = Memory.of(memory);
    boolean fit = write ? all.isFitForWrite() : all.isFitForRead();
    switch (mode) {
      case A, B, C -> {} // nobody waits
      case D, F -> {
        if (!fit) {
          throw refuse(write);
        }
      }
      case E -> meet(call, fit ? memory.byteSize() : UNFIT);
    }
    return memory;
  }

  /** Comes with something else than the others, who are then told of a mixed call. */
  private VestaException refuse(boolean write) throws IOException {
    var why = new VestaException("memory that cannot be " + (write ? "written from" : "read into"));
    FileAccess refusing = file.all().refusing(new IllegalArgumentException(why.getMessage()));
    try {
      long _ = write ? refusing.write(NOTHING) : refusing.read(NOTHING);
    } catch (MillraceException e) {
      why.addSuppressed(e);
    }
    return why;
  }

  /**
   * All processes tell what they came for and how much memory they have, and judge it alike. In
   * mode E every call begins here, so that different ones cannot miss each other.
   */
  private void meet(Call mine, long bytes) throws IOException {
    Agreement call = Agreement.on(mine.name(), bytes);
    switch (group.agree(bytes == UNFIT ? call.refusing(0, "memory that cannot be used") : call)) {
      case Agreement.Different mixed when !mixed.sameCall() -> mixed.orThrow();
      case Agreement.Outcome other -> other.orElseThrow(VestaException::new);
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
    if (mode == SpmdMode.E && !file.isClosed()) {
      meet(Call.CLOSE, 0);
    }
    try {
      file.close();
    } finally {
      if (endsItsGroup && file.isClosed()) {
        endsItsGroup = false;
        group.leave("");
      }
    }
  }
}
