package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * An append-only log of records in a file. The records of one {@link #append} form one frame, which
 * is durable when append returns, and atomic in a crash. Header and frames stand in the file twice,
 * each copy in sectors of its own, written with one call and forced together: {@link LogFrame}
 * draws them.
 *
 * <p>A frame that was acknowledged is there twice. One bad sector destroys one of its copies, and
 * the other one serves and repairs it; two sectors that changed places may destroy both, and it is
 * put together from what is good in each. Therefore a frame of which both copies are bad, and
 * behind which there is no good frame, was never acknowledged: it is the torn end of the log, and
 * is cut off. With a good frame behind it, it is damage, and an error.
 *
 * <p>The file is longer than its frames: at least {@link #ROOM} bytes of zeros follow, up to a
 * multiple of that, and the length is forced before a frame relies on it. They are allocated, so
 * that on a full disk names can still be removed. A file that is shorter was cut. One that was
 * replaced by an older copy looks like an earlier log: {@link EndMark} tells.
 *
 * <p>Safe for use by several threads. Closing closes the file. After a failed append the log
 * refuses further ones, since it is not known what the disk holds; opening it again finds out.
 */
public final class Log implements AutoCloseable {

  /** A frame's records together with their lengths are no longer than this. */
  public static final int MAX_FRAME_BYTES = 64 << 20;

  /** Bytes behind the last frame, at least. */
  static final int ROOM = 256 << 10;

  private static final int START = 2 * LogFrame.SECTOR;

  // Constant after construction.
  private final DiskFile file;
  private final long generation;
  private final long cutBytes;
  private final int repaired;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private long end;

  @GuardedBy("lock")
  private long frames;

  @GuardedBy("lock")
  private long length;

  @GuardedBy("lock")
  private List<byte[]> records;

  @GuardedBy("lock")
  private @Nullable IOException failure;

  private Log(DiskFile file, long generation, LogReader found, long length, long cutBytes) {
    this.file = file;
    this.length = length;
    this.generation = generation;
    this.end = found.end();
    this.frames = found.frames();
    this.records = found.records();
    this.repaired = found.repairs().size();
    this.cutBytes = cutBytes;
  }

  /**
   * Begins a log on {@code file}, which it then owns, durably.
   *
   * @param generation a number that no other log of this name has had: frames of one log are none
   *     of another
   */
  public static Log create(DiskFile file, long generation) throws IOException {
    byte[] header = LogFrame.header(generation);
    file.resize(0);
    file.preallocate(lengthFor(START));
    file.write(0, MemorySegment.ofArray(LogFrame.twice(header)));
    file.resize(lengthFor(START));
    file.force();
    LogReader nothing = new LogReader(new byte[0], generation, START);
    return new Log(file, generation, nothing, lengthFor(START), 0);
  }

  /** Opens the log on {@code file} and replays it. The log then owns the file. */
  public static Log open(DiskFile file) throws IOException {
    long size = file.size();
    if (size > Integer.MAX_VALUE - LogFrame.SECTOR) {
      throw new MillraceException(
          ErrorCode.DISK, file.name() + ": a log of " + size + " bytes is too long to replay");
    }
    byte[] bytes = new byte[(int) size];
    FullReads.full(file, 0, MemorySegment.ofArray(bytes));
    long generation = generation(file, bytes);
    LogReader found = new LogReader(bytes, generation, START);
    found.read(file.name());
    if (!LogFrame.isHeader(bytes, 0) || !LogFrame.isHeader(bytes, LogFrame.SECTOR)) {
      found.repairs().put(0, LogFrame.twice(LogFrame.header(generation)));
    }
    for (var repair : found.repairs().entrySet()) {
      file.write(repair.getKey(), MemorySegment.ofArray(repair.getValue()));
    }
    int end = found.end();
    long least = lengthFor(found.reach());
    if (size < least) {
      throw new CorruptBlockException(
          "%s was cut: it has %s bytes, and must have %s".formatted(file.name(), size, least));
    }
    int torn = found.nonZeroEnd() - end;
    if (torn > 0) {
      file.write(end, MemorySegment.ofArray(new byte[torn]));
    }
    if (torn > 0 || !found.repairs().isEmpty()) {
      file.force();
    }
    return new Log(file, generation, found, size, Math.max(0, torn));
  }

  /** How long the file must be for frames up to {@code end}. */
  private static long lengthFor(long end) {
    return (Math.ceilDiv(end, ROOM) + 1) * ROOM;
  }

  /**
   * The records of the log on {@code file}, oldest first, for readers that leave it alone: another
   * process may be appending to it, so what is not whole at its end is passed over.
   */
  static List<byte[]> peek(DiskFile file) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(file.size())];
    FullReads.full(file, 0, MemorySegment.ofArray(bytes));
    if (bytes.length < START) {
      return List.of();
    }
    LogReader found = new LogReader(bytes, generation(file, bytes), START);
    found.read(file.name());
    return found.records();
  }

  private static long generation(DiskFile file, byte[] bytes) throws IOException {
    for (int at = 0; at < START; at += LogFrame.SECTOR) {
      if (LogFrame.isHeader(bytes, at)) {
        return LogFrame.generation(bytes, at);
      }
    }
    throw new CorruptBlockException(
        file.name()
            + ": at offset 0: not a log, of another version, or both headers are destroyed");
  }

  /**
   * The records found when the log was opened, oldest first; handed out once, so that they need not
   * be kept.
   */
  public List<byte[]> takeRecords() {
    lock.lock();
    try {
      List<byte[]> taken = records;
      records = List.of();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** How many bytes of a torn end were cut off when the log was opened; 0 if it ended in order. */
  public long cutBytes() {
    return cutBytes;
  }

  /** How many copies of frames were bad when the log was opened, and are whole again. */
  public int repaired() {
    return repaired;
  }

  /** Which log this is, among all that had its name. */
  public long generation() {
    return generation;
  }

  /** How many frames it has. */
  public long frames() {
    lock.lock();
    try {
      return frames;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes of the log. */
  public long size() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /** Appends {@code batch}, all or nothing, and returns after it is durable. */
  public void append(List<byte[]> batch) throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    byte[] body = LogFrame.body(batch);
    if (body.length > MAX_FRAME_BYTES) {
      throw new IllegalArgumentException(
          "records of " + body.length + " bytes together, at most " + MAX_FRAME_BYTES);
    }
    lock.lock();
    try {
      if (failure != null) {
        throw new MillraceException(
            ErrorCode.DISK, file.name() + ": an earlier append failed", failure);
      }
      byte[] both = LogFrame.twice(LogFrame.of(generation, frames, body));
      makeRoom(lengthFor(end + both.length));
      file.write(end, MemorySegment.ofArray(both));
      file.force();
      end += both.length;
      frames++;
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Once for many frames: the length is durable before the frame that needs it begins. */
  @GuardedBy("lock")
  private void makeRoom(long needed) throws IOException {
    if (length < needed) {
      file.preallocate(needed);
      file.resize(needed);
      file.force();
      length = needed;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
