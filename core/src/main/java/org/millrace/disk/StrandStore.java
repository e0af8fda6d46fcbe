package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A strand of a {@link StrandLog}: in the log while it is small, in a {@link BlockFile} from the
 * first write on that makes it larger.
 *
 * <p>A strand that becomes larger gets its files first, with all that there is of it, then the
 * record that says so, and only then more durable bytes in the files: until the record is durable
 * the log has the strand, whatever the files hold. Files of a strand of which the log has no record
 * at all hold nothing durable, nor an end: what was not flushed is not in them, and what was is in
 * the log before it is in them.
 *
 * <p>Threads: as {@link BlockStore} says. Closing does not flush.
 */
public final class StrandStore implements BlockStore {

  // Constant after construction.
  private final StrandLog log;
  private final StrandKey id;
  private final int blockBytes;

  private final ReentrantLock lock = new ReentrantLock();

  /** Where the strand is once it is not small; written under lock. */
  private volatile @Nullable BlockFile files;

  // Guarded by lock; meaningless once there are files.
  @GuardedBy("lock")
  private byte[] content; // what lies behind it is zero; shared with records, never changed

  @GuardedBy("lock")
  private long end;

  @GuardedBy("lock")
  private long modified;

  @GuardedBy("lock")
  private boolean known; // the log was given a record of it

  // Written under lock, or by the log's thread: that must never wait for one who waits for the log.
  private volatile boolean stored; // such a record is seen to be durable
  private volatile boolean changed; // the log does not have all; never cleared by the log's thread

  private volatile boolean recorded; // that it is in files
  private volatile boolean closed;

  private StrandStore(StrandLog log, StrandKey id, int blockBytes, @Nullable BlockFile files) {
    this.log = log;
    this.id = id;
    this.blockBytes = blockBytes;
    this.files = files;
    this.recorded = files != null;
    this.content = new byte[0];
  }

  static StrandStore small(StrandLog log, StrandRecord.Small record, boolean known) {
    StrandStore made = new StrandStore(log, record.id(), record.blockBytes(), null);
    made.lock.lock();
    try {
      made.content = record.content();
      made.end = record.end();
      made.modified = record.modified();
      made.known = known;
    } finally {
      made.lock.unlock();
    }
    return made;
  }

  static StrandStore inFiles(StrandLog log, BlockFile files, StrandKey id) {
    return new StrandStore(log, id, files.blockBytes(), files);
  }

  @Override
  public String name() {
    return "strand file " + id.dataFile() + " of " + log.disk();
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  /** Whether it is in the log, and shares its forces with others. */
  public boolean isSmall() {
    return files == null;
  }

  /** Whether nothing of it was ever given to it: it could as well have blocks of another size. */
  public boolean isUnknown() {
    lock.lock();
    try {
      return files == null && !known && !changed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long end() {
    BlockFile own = files;
    if (own != null) {
      return own.end();
    }
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long modified() {
    BlockFile own = files;
    if (own != null) {
      return own.modified();
    }
    lock.lock();
    try {
      return modified;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void modified(long nanos) {
    BlockFile own = files;
    if (own == null) {
      lock.lock();
      try {
        modified = nanos;
        own = files;
      } finally {
        lock.unlock();
      }
    }
    if (own != null) {
      own.modified(nanos);
    }
  }

  @Override
  public void read(long firstBlock, List<MemorySegment> into) throws IOException {
    BlockFile own = files;
    if (own == null) {
      BlockArguments.checkRead(blockBytes, firstBlock, into);
      own = readSmall(firstBlock, into);
    }
    if (own != null) {
      try {
        own.read(firstBlock, into);
      } catch (IOException e) {
        throw log.noted(e);
      }
    }
  }

  /**
   * As {@link #read}, at a moment at which nothing is being written. For a scrub: what is corrupt
   * is told to its caller alone.
   */
  public void readStill(long firstBlock, List<MemorySegment> into) throws IOException {
    BlockArguments.checkRead(blockBytes, firstBlock, into);
    BlockFile own = files;
    if (own == null) {
      own = readSmall(firstBlock, into);
    }
    if (own != null) {
      own.readStill(firstBlock, into);
    }
  }

  /**
   * Compares the checksums that are in memory with those on the disk, and writes those again that
   * have rotted there. Returns how many sectors that were.
   */
  public int mendSums() throws IOException {
    BlockFile own = files;
    int rotten = own == null ? 0 : own.verifySums();
    if (rotten > 0) {
      flush(end());
    }
    return rotten;
  }

  /** Returns the files if it is not small any more. */
  private @Nullable BlockFile readSmall(long firstBlock, List<MemorySegment> into)
      throws IOException {
    lock.lock();
    try {
      requireOpen();
      if (files != null) {
        return files;
      }
      for (int i = 0; i < into.size(); i++) {
        long from = Math.min((firstBlock + i) * blockBytes, content.length);
        int count = (int) Math.min(blockBytes, content.length - from);
        MemorySegment block = into.get(i);
        MemorySegment.copy(content, (int) from, block, ValueLayout.JAVA_BYTE, 0, count);
        block.asSlice(count).fill((byte) 0);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void write(long firstBlock, MemorySegment from, List<BlockChanges> changes)
      throws IOException {
    BlockFile own = files;
    try {
      if (own == null) {
        BlockArguments.requireBlocks(blockBytes, firstBlock, from);
        own = writeSmall(firstBlock, from);
      }
      if (own != null) {
        own.write(firstBlock, from, changes);
      }
    } catch (IOException e) {
      throw log.noted(e);
    }
  }

  /**
   * Writes a block again that is corrupt, durably. If that is interrupted or fails, it is corrupt
   * still.
   */
  public void mend(long block, MemorySegment content) throws IOException {
    BlockFile own = files;
    if (own == null) {
      write(block, content);
      flush(end());
      return;
    }
    recordFiles();
    try {
      own.mend(block, content);
    } catch (IOException e) {
      throw log.noted(e);
    }
  }

  /** Returns the files if it is not small any more. */
  private @Nullable BlockFile writeSmall(long firstBlock, MemorySegment from) throws IOException {
    lock.lock();
    try {
      requireOpen();
      if (files != null) {
        return files;
      }
      long at = firstBlock * blockBytes;
      long used = used(from);
      int most = log.smallBytes();
      long covered = Math.ceilDiv(most, blockBytes) * (long) blockBytes;
      if (at + from.byteSize() > covered || at + used > most) {
        return moveOut();
      }
      content = with(at, used, from);
      changed = true;
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** The content with {@code from} at {@code at}, of which all but {@code used} bytes are zero. */
  @GuardedBy("lock")
  private byte[] with(long at, long used, MemorySegment from) {
    boolean inside = at + from.byteSize() < content.length;
    long left = Math.min(at, content.length);
    byte[] next =
        Arrays.copyOf(
            content,
            inside ? content.length : (int) (used == 0 ? left : Math.max(left, at + used)));
    if (at < next.length) {
      int count = (int) Math.min(next.length - at, from.byteSize());
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, next, (int) at, count);
    }
    return next;
  }

  /** Bytes without the zeros at their end. */
  private static long used(MemorySegment from) {
    long used = from.byteSize();
    while (used >= Long.BYTES
        && from.get(ValueLayout.JAVA_LONG_UNALIGNED, used - Long.BYTES) == 0) {
      used -= Long.BYTES; // blocks are multiples of it
    }
    while (used > 0 && from.get(ValueLayout.JAVA_BYTE, used - 1) == 0) {
      used--;
    }
    return used;
  }

  @GuardedBy("lock")
  private BlockFile moveOut() throws IOException {
    if (known && !stored) { // one that failed, or of before this store was opened
      store(record());
    }
    BlockFile made = log.createFiles(id, blockBytes, () -> recorded);
    try {
      if (content.length > 0 || end > 0) {
        fill(made);
      }
    } catch (IOException | RuntimeException e) {
      try (made) {
        throw e;
      }
    }
    made.modified(modified);
    files = made;
    content = new byte[0];
    return made;
  }

  /** The log says where the strand is before anything durable in its files is acknowledged. */
  private void recordFiles() throws IOException {
    if (!recorded) {
      log.commit(new StrandRecord.InFiles(id));
      recorded = true;
    }
  }

  /** Writes what there is of the small strand, durably if the log has something of it. */
  @GuardedBy("lock")
  private void fill(BlockFile made) throws IOException {
    if (!known) {
      made.resize(end);
    }
    if (content.length > 0) {
      int blocks = Math.ceilDiv(content.length, blockBytes);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment whole = arena.allocate((long) blocks * blockBytes);
        MemorySegment.copy(content, 0, whole, ValueLayout.JAVA_BYTE, 0, content.length);
        made.write(0, whole);
      }
    }
    if (known) {
      made.flush(end);
    }
  }

  @Override
  public boolean flushTogether(long newEnd, Together done) throws IOException {
    BlockArguments.checkEnd(blockBytes, newEnd);
    StrandRecord.Small next;
    lock.lock();
    try {
      requireOpen();
      if (files != null) {
        return false;
      }
      next = nextRecord(newEnd);
      if (next != null) { // under the lock: no later record may come before it
        log.start(
            next,
            error -> {
              onStored(error);
              done.ended(error);
            });
      }
    } finally {
      lock.unlock();
    }
    if (next == null) {
      done.ended(null);
    }
    return true;
  }

  @Override
  public void flush(long newEnd) throws IOException {
    BlockArguments.checkEnd(blockBytes, newEnd);
    BlockFile own = files;
    if (own == null) {
      lock.lock();
      try {
        requireOpen();
        own = files;
        if (own == null) {
          store(nextRecord(newEnd));
        }
      } finally {
        lock.unlock();
      }
    }
    if (own != null) {
      recordFiles();
      try {
        own.flush(newEnd);
      } catch (IOException e) {
        throw log.noted(e);
      }
    }
  }

  /** What the log must have; null if it has it. */
  @GuardedBy("lock")
  private StrandRecord.@Nullable Small nextRecord(long newEnd) {
    if (newEnd > end) {
      end = newEnd;
      changed = true;
    }
    if (!changed) {
      return null;
    }
    return record();
  }

  /** All that there is, up to the end, to be given to the log. */
  @GuardedBy("lock")
  private StrandRecord.Small record() {
    changed = false;
    known = true;
    return new StrandRecord.Small(
        id,
        blockBytes,
        end,
        modified,
        content.length <= end ? content : Arrays.copyOf(content, (int) end));
  }

  @GuardedBy("lock")
  private void store(StrandRecord.@Nullable Small next) throws IOException {
    if (next != null) {
      try {
        log.commit(next);
        stored = true;
      } catch (IOException e) {
        changed = true;
        throw e;
      }
    }
  }

  private void onStored(@Nullable MillraceException error) {
    if (error == null) {
      stored = true;
    } else {
      changed = true;
    }
  }

  @Override
  public void resize(long newEnd) throws IOException {
    BlockArguments.checkEnd(blockBytes, newEnd);
    BlockFile own = files;
    if (own == null) {
      lock.lock();
      try {
        requireOpen();
        own = files;
        if (own == null) {
          resizeSmall(newEnd);
        }
      } finally {
        lock.unlock();
      }
    }
    if (own != null) {
      recordFiles();
      try {
        own.resize(newEnd);
      } catch (IOException e) {
        throw log.noted(e);
      }
    }
  }

  /** What is cut off is durably gone, as with files. */
  @GuardedBy("lock")
  private void resizeSmall(long newEnd) throws IOException {
    boolean cut = newEnd < end || newEnd < content.length;
    if (content.length > newEnd) {
      content = Arrays.copyOf(content, (int) newEnd);
    }
    if (end != newEnd || cut) {
      changed = true;
    }
    end = newEnd;
    if (cut && known) {
      store(nextRecord(newEnd));
    }
  }

  @Override
  public long nextWritten(long firstBlock, long beforeBlock) throws IOException {
    BlockFile own = files;
    if (own != null) {
      return own.nextWritten(firstBlock, beforeBlock);
    }
    lock.lock();
    try {
      requireOpen();
      return firstBlock * blockBytes < content.length ? firstBlock : beforeBlock;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A checksum over the checksums of all blocks, the same for equal strands. Blocks of zeros may
   * make it differ: one may have been written there and not here. Never beside a write.
   */
  public long digest() throws IOException {
    BlockFile own = files;
    if (own == null) {
      lock.lock();
      try {
        requireOpen();
        own = files;
        if (own == null) {
          return digestSmall();
        }
      } finally {
        lock.unlock();
      }
    }
    return own.digest();
  }

  @GuardedBy("lock")
  private long digestSmall() {
    BlockDigest digest = new BlockDigest();
    BlockSum sum = new BlockSum(id);
    for (int at = 0; at < content.length; at += blockBytes) {
      int count = Math.min(blockBytes, content.length - at);
      byte[] block = new byte[blockBytes];
      System.arraycopy(content, at, block, 0, count);
      MemorySegment bytes = MemorySegment.ofArray(block);
      if (used(bytes) > 0) {
        long number = at / blockBytes;
        digest.add(number, sum.of(number, bytes));
      }
    }
    return digest.value();
  }

  @Override
  public void preallocate(long upTo) throws IOException {
    BlockArguments.checkEnd(blockBytes, upTo);
    BlockFile own = files;
    if (own == null) {
      lock.lock();
      try {
        requireOpen();
        own = files != null ? files : moveOut();
      } finally {
        lock.unlock();
      }
    }
    own.preallocate(upTo);
  }

  /** As {@link BlockFile#placements}; a small strand has none. */
  public @Nullable List<DiskExtent> placements() {
    BlockFile own = files;
    return own == null ? List.of() : own.placements();
  }

  /** As {@link BlockFile#queryPlacements}. */
  public List<DiskExtent> queryPlacements() throws IOException {
    BlockFile own = files;
    return own == null ? List.of() : own.queryPlacements();
  }

  @Override
  public void close() throws IOException {
    close(true);
  }

  /** Closes; what is to be removed need not last. */
  public void close(boolean lasting) throws IOException {
    closed = true;
    BlockFile own = files;
    if (own != null) {
      own.close(lasting);
    }
  }

  @Override
  public String toString() {
    return name();
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, name() + " is closed");
    }
  }
}
