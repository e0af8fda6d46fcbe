package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A strand on a disk, in three files: the bytes, plain and sparse ({@code .strand}), a checksum for
 * each block ({@code .sums}), and the intents to overwrite ({@code .intents}). {@code
 * docs/formats.md} describes the formats and explains how crashes are told from corruption.
 *
 * <p>The order that this class keeps:
 *
 * <ol>
 *   <li>before a block with a sum on disk is overwritten, its intent is durable;
 *   <li>a sum goes to disk only after the block it belongs to was forced;
 *   <li>an intent is dropped only after the sums of its epoch were forced.
 * </ol>
 *
 * <p>Threads: as {@link BlockStore} says; flushes may run beside reads and writes of any blocks.
 * Writes hold {@code running} shared, from intent to sum; the instant at which one epoch ends and
 * the next begins holds it alone, so no write ever lies across that instant. Closing does not flush
 * and does not close the disk.
 */
public final class BlockFile implements BlockStore {

  // Constant after construction.
  private final StrandKey id;
  private final String name;
  private final StrandFiles files;
  private final int blockBytes;
  private final StrandData data;
  private final BlockSum blockSum;
  private final Sums sums;
  private final Intents intents;
  private final FailedWrites failedWrites;
  private final boolean intending;
  private final boolean verifying;
  private final Recovery recovery;
  private final StrandMemory memory;

  private final ReentrantLock flushing = new ReentrantLock(); // taken before running
  private final ReentrantReadWriteLock running = new ReentrantReadWriteLock();

  // Guarded by flushing.
  @GuardedBy("flushing")
  private SumsHeader header;

  @GuardedBy("flushing")
  private long epoch;

  @GuardedBy("flushing")
  private Settled settling = Settled.NONE; // the intents of the epoch that ended last

  @GuardedBy("flushing")
  private boolean flushFailed;

  @GuardedBy("flushing")
  private boolean loose; // the header that dropped the last intents is not forced

  // Read by all threads.
  private volatile long end; // written under flushing
  private volatile boolean changed; // set by writes, cleared where no write runs
  private volatile long modified;
  private volatile boolean halfCut; // final; opening the strand anew puts it in order
  private volatile boolean closed;

  private BlockFile(
      StrandFiles files,
      StrandRecovery.Result found,
      BlockFileOptions tuning,
      StrandMemory memory) {
    this.header = found.header();
    this.id = header.id();
    this.name = files.name();
    this.blockBytes = header.blockBytes();
    this.files = files;
    this.blockSum = new BlockSum(id);
    this.sums = found.sums();
    this.intents = found.intents();
    this.intending = tuning.intending();
    this.verifying = tuning.verifying();
    this.memory = memory;
    this.recovery = found.recovery();
    this.epoch = header.epoch();
    this.end = header.end();
    this.modified = header.modified();
    this.data = new StrandData(files.data(), blockBytes, header.end());
    this.failedWrites = new FailedWrites(data, sums, blockSum, blockBytes);
    intents.begin(epoch);
  }

  /**
   * Makes a new, empty strand with blocks of {@code blockBytes}, durably. Fails with NAME_EXISTS if
   * there is one; what is left of half a one is replaced.
   */
  public static BlockFile create(Disk disk, long fileId, int strand, int blockBytes)
      throws IOException {
    return create(disk, new StrandKey(fileId, strand), blockBytes, StrandMemory.NONE, true);
  }

  /** As {@link #create(Disk, long, int, int)}, for a node. */
  public static BlockFile create(
      Disk disk, StrandKey id, int blockBytes, StrandMemory memory, boolean verifying)
      throws IOException {
    StrandFiles.create(disk, id, BlockSize.require(blockBytes));
    return open(disk, id, usual(verifying), memory, true);
  }

  /**
   * Opens a strand, and puts it in order if it was not closed in order. A missing file is an error
   * that names it.
   */
  public static BlockFile open(Disk disk, long fileId, int strand) throws IOException {
    return open(disk, new StrandKey(fileId, strand), BlockFileOptions.DEFAULT);
  }

  /**
   * As {@link #open(Disk, long, int)}, for a node.
   *
   * @param memory knows the strand's last generation: an older copy of it is refused
   * @param verifying whether blocks are compared with their sums when they are read
   */
  public static BlockFile open(Disk disk, StrandKey id, StrandMemory memory, boolean verifying)
      throws IOException {
    return open(disk, id, usual(verifying), memory, false);
  }

  private static BlockFileOptions usual(boolean verifying) {
    BlockFileOptions usual = BlockFileOptions.DEFAULT;
    return new BlockFileOptions(
        usual.intending(), usual.maxSumsPages(), usual.maxIntentFrames(), verifying);
  }

  /** As {@link #open(Disk, long, int)}, with other bounds. */
  static BlockFile open(Disk disk, StrandKey id, BlockFileOptions tuning) throws IOException {
    return open(disk, id, tuning, StrandMemory.NONE, false);
  }

  /** {@code fresh} if the strand was made just now, durably. */
  private static BlockFile open(
      Disk disk, StrandKey id, BlockFileOptions tuning, StrandMemory memory, boolean fresh)
      throws IOException {
    try {
      StrandFiles files = StrandFiles.open(disk, id);
      try {
        StrandRecovery.Result found = StrandRecovery.run(files, id, tuning, memory);
        long generation = found.header().generation();
        if (generation == 0 && !fresh) {
          files.sums().force(); // its maker may have ended before it did that
        }
        if (fresh) {
          memory.onDurable(id, generation);
        } else {
          memory.onFound(id, generation);
        }
        return new BlockFile(files, found, tuning, memory);
      } catch (IOException | RuntimeException e) {
        files.closeAfter(e);
        throw e;
      }
    } catch (CorruptBlockException e) {
      boolean placed = CorruptBlockException.place(String.valueOf(e.getMessage())).isPresent();
      throw placed ? e : inAll(id, e);
    }
  }

  private static CorruptBlockException inAll(StrandKey id, CorruptBlockException e) {
    CorruptBlockException whole =
        CorruptBlockException.inAll(id.strand(), String.valueOf(e.getMessage()));
    whole.initCause(e);
    return whole;
  }

  /** Whether all files of the strand are there. */
  public static boolean exists(Disk disk, long fileId, int strand) throws IOException {
    return StrandFiles.exist(disk, new StrandKey(fileId, strand));
  }

  /** Removes what there is of the strand. Durable after {@link Disk#force()}. */
  public static void remove(Disk disk, long fileId, int strand) throws IOException {
    StrandFiles.remove(disk, new StrandKey(fileId, strand));
  }

  /** All strands of which the disk holds at least one file, sorted. */
  public static List<StrandKey> listStrands(Disk disk) throws IOException {
    return StrandFiles.list(disk);
  }

  /** What opening found to be in doubt. */
  public Recovery recovery() {
    return recovery;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public long end() {
    return end;
  }

  @Override
  public long modified() {
    return modified;
  }

  @Override
  public void modified(long nanos) {
    modified = nanos;
  }

  @Override
  public void read(long firstBlock, List<MemorySegment> into) throws IOException {
    BlockArguments.checkRead(blockBytes, firstBlock, into);
    requireOpen();
    failedWrites.settle(firstBlock, firstBlock + into.size());
    int[] expected = sums.get(firstBlock, into.size());
    int from = 0;
    int to = into.size();
    while (from < to && expected[from] == BlockSum.NEVER_WRITTEN) {
      into.get(from++).fill((byte) 0);
    }
    while (to > from && expected[to - 1] == BlockSum.NEVER_WRITTEN) {
      into.get(--to).fill((byte) 0);
    }
    if (from == to) {
      return;
    }
    data.read(firstBlock + from, into.subList(from, to));
    for (int i = from; i < to; i++) {
      if (expected[i] == BlockSum.NEVER_WRITTEN) {
        into.get(i).fill((byte) 0);
      } else {
        check(firstBlock + i, into.get(i), expected[i]);
      }
    }
  }

  /**
   * As {@link #read}, at a moment at which nothing is being written: what does not match then is
   * corrupt. For readers that no cache keeps apart from writers.
   */
  void readStill(long firstBlock, List<MemorySegment> into) throws IOException {
    running.writeLock().lock();
    try {
      read(firstBlock, into);
    } finally {
      running.writeLock().unlock();
    }
  }

  /**
   * Compares the sums that are in memory with those on the disk; the next flush writes those again
   * that have rotted there. Returns how many sectors that are.
   */
  int verifySums() throws IOException {
    running.writeLock().lock();
    try {
      requireOpen();
      int rotten = sums.verify();
      changed |= rotten > 0;
      return rotten;
    } finally {
      running.writeLock().unlock();
    }
  }

  private void check(long block, MemorySegment content, int expected) throws IOException {
    int found = verifying ? blockSum.of(block, content) : expected;
    if (found != expected) {
      throw CorruptBlockException.in(
          id.strand(),
          block * blockBytes,
          (block + 1) * blockBytes,
          "%s: %s block %s is not what was written: checksum expected %x, found %x"
              .formatted(name, id, block, expected, found));
    }
  }

  @Override
  public void write(long firstBlock, MemorySegment from, List<BlockChanges> changes)
      throws IOException {
    write(firstBlock, from, changes, true);
  }

  /**
   * Writes a block again that is corrupt, durably. If that is interrupted or fails, it is corrupt
   * still: nothing of what it holds counts, so none of it passes for a write that was torn.
   */
  void mend(long block, MemorySegment content) throws IOException {
    write(block, content, List.of(new BlockChanges(blockBytes)), false);
    flush(end);
  }

  /** {@code valid} if what the blocks hold is as it was written. */
  private void write(long firstBlock, MemorySegment from, List<BlockChanges> changes, boolean valid)
      throws IOException {
    int count = BlockArguments.requireBlocks(blockBytes, firstBlock, from);
    requireOpen();
    if (count == 0) {
      return;
    }
    if (sums.isCrowded() || intents.isCrowded()) {
      checkpoint();
    }
    int[] written = new int[count];
    for (int i = 0; i < count; i++) {
      written[i] = blockSum.of(firstBlock + i, from.asSlice((long) i * blockBytes, blockBytes));
    }
    running.readLock().lock();
    try {
      changed = true;
      if (intending) {
        intend(firstBlock, from, written, changes);
      }
      writeData(firstBlock, from, written, valid);
    } finally {
      running.readLock().unlock();
    }
  }

  private void writeData(long firstBlock, MemorySegment from, int[] written, boolean valid)
      throws IOException {
    try {
      data.write(firstBlock, from);
      sums.set(firstBlock, written);
    } catch (IOException e) {
      if (valid) {
        failedWrites.onFailed(firstBlock, written.length, e);
      }
      throw e;
    }
    failedWrites.onWritten(firstBlock, written.length);
  }

  private void intend(
      long firstBlock, MemorySegment from, int[] written, List<BlockChanges> changes)
      throws IOException {
    List<Integer> summed = sums.summed(firstBlock, written.length);
    Map<Long, BlockChanges> wanted = new LinkedHashMap<>();
    for (int i : summed) {
      if (!intents.covers(firstBlock + i, changes.get(i))) {
        wanted.put(firstBlock + i, changes.get(i));
      }
    }
    if (!wanted.isEmpty()) {
      int[] old = sums.get(firstBlock, written.length);
      intents.record(
          wanted,
          block -> {
            int i = (int) (block - firstBlock);
            MemorySegment content = from.asSlice((long) i * blockBytes, blockBytes);
            return new Intents.Content(content, written[i], old[i]);
          });
    }
  }

  @Override
  public void flush(long newEnd) throws IOException {
    BlockArguments.checkEnd(blockBytes, newEnd);
    flushing.lock();
    try {
      requireOpen();
      long durable = Math.max(newEnd, header.end());
      boolean late = header.modified() < 0 && modified >= 0;
      if (changed || flushFailed || durable != header.end() || late) {
        makeDurable(durable, modified);
      }
      end = Math.max(end, durable);
    } finally {
      flushing.unlock();
    }
  }

  /**
   * A flush that moves no end, to keep the number of changed sums and of intents bounded. It comes
   * in the middle of writes, of which the next flush will say when they were.
   */
  private void checkpoint() throws IOException {
    flushing.lock();
    try {
      if (sums.isCrowded() || intents.isCrowded()) {
        makeDurable(header.end(), BlockStore.laterThan(header.modified()));
      }
    } finally {
      flushing.unlock();
    }
  }

  @GuardedBy("flushing")
  private void makeDurable(long durable, long time) throws IOException {
    List<Sums.Sector> snapshot;
    running.writeLock().lock();
    try {
      failedWrites.settleAll();
      boolean retry = flushFailed;
      flushFailed = true;
      data.fit(durable);
      if (!retry) {
        epoch++; // else the failed flush's intents must be kept: they are in the lane that the next
        // epoch would take
        intents.begin(epoch);
        settling = Settled.of(header.epoch(), sums.of(intents.ending()));
      }
      changed = false;
      snapshot = sums.snapshot();
    } finally {
      running.writeLock().unlock();
    }
    store(snapshot, durable, time);
    dropIntents();
    memory.onDurable(id, header.generation());
    flushFailed = false;
  }

  /** Forces the data, then the sums and the header that belong to them. */
  @GuardedBy("flushing")
  private void store(List<Sums.Sector> snapshot, long durable, long time) throws IOException {
    try {
      data.force();
      sums.reach(snapshot);
    } catch (IOException | RuntimeException e) {
      sums.giveBack(snapshot);
      throw e;
    }
    sums.store(snapshot);
    SumsHeader next = header.next(durable, sums.present()).settling(settling).modifiedAt(time);
    next.writeTo(files.sums());
    files.sums().force();
    header = next;
  }

  /** Not forced: until it is, the header before it says how to tell that they are settled. */
  @GuardedBy("flushing")
  private void dropIntents() throws IOException {
    header = header.withEpoch(epoch);
    header.writeTo(files.sums());
    intents.dropEarlier();
    loose = true;
  }

  @Override
  public void resize(long newEnd) throws IOException {
    BlockArguments.checkEnd(blockBytes, newEnd);
    flushing.lock();
    running.writeLock().lock();
    try {
      requireOpen();
      if (newEnd < Math.max(end, header.end()) || data.reachesBeyond(newEnd)) {
        cut(newEnd);
      }
      end = newEnd;
    } finally {
      running.writeLock().unlock();
      flushing.unlock();
    }
  }

  /**
   * The new end is durable before anything behind it goes, so a crash finds no block missing that
   * it must have; the sums behind it are durably gone before the end can grow again, so a crash
   * finds no sum of a block that is no more.
   */
  @GuardedBy("flushing")
  private void cut(long newEnd) throws IOException {
    boolean retry = flushFailed;
    flushFailed = true;
    data.force();
    SumsHeader next =
        header.next(Math.min(header.end(), newEnd), header.pages()).modifiedAt(modified);
    next.writeTo(files.sums());
    files.sums().force();
    header = next;
    memory.onDurable(id, header.generation());
    try {
      failedWrites.cut(Math.ceilDiv(newEnd, blockBytes));
      cutSums(Math.ceilDiv(newEnd, blockBytes));
      data.cut(newEnd);
    } catch (IOException | RuntimeException e) {
      halfCut = true; // sums are forgotten whose blocks are there: these would read as zeros
      throw e;
    }
    changed = true;
    flushFailed = retry;
  }

  /** Removes the sums from {@code block} on, durably. All that was written is forced. */
  @GuardedBy("flushing")
  private void cutSums(long block) throws IOException {
    sums.cut(block);
    List<Sums.Sector> snapshot = sums.snapshot();
    try {
      sums.reach(snapshot);
    } catch (IOException | RuntimeException e) {
      sums.giveBack(snapshot);
      throw e;
    }
    sums.store(snapshot);
    header = header.next(header.end(), sums.present());
    header.writeTo(files.sums());
    files.sums().force();
    sums.truncate();
    memory.onDurable(id, header.generation());
  }

  @Override
  public long nextWritten(long firstBlock, long beforeBlock) throws IOException {
    requireOpen();
    return sums.nextWritten(firstBlock, beforeBlock);
  }

  /** As {@link StrandStore#digest}. */
  long digest() throws IOException {
    requireOpen();
    BlockDigest digest = new BlockDigest();
    long blocks = Math.ceilDiv(end, blockBytes);
    long block = sums.nextWritten(0, blocks);
    while (block < blocks) {
      digest.add(block, sums.get(block, 1)[0]);
      block = sums.nextWritten(block + 1, blocks);
    }
    return digest.value();
  }

  @Override
  public void preallocate(long upTo) throws IOException {
    BlockArguments.checkEnd(blockBytes, upTo);
    flushing.lock();
    try {
      requireOpen();
      data.preallocate(upTo);
    } finally {
      flushing.unlock();
    }
  }

  /**
   * Where the strand lies on its disk, as {@link DiskFile#placements} says of all of its bytes;
   * null if the strand was given new room since the disk was asked: then {@link #queryPlacements}
   * does. Never touches the disk.
   */
  public @Nullable List<DiskExtent> placements() {
    return data.places().fresh();
  }

  /** Asks the disk where the strand lies. */
  public List<DiskExtent> queryPlacements() throws IOException {
    requireOpen();
    return data.places().query();
  }

  @Override
  public void close() throws IOException {
    close(true); // intents that came back after an orderly end would hide rot
  }

  /** Closes; what is to be removed need not last. */
  public void close(boolean lasting) throws IOException {
    flushing.lock();
    try {
      boolean force = lasting && loose && !flushFailed && !closed;
      closed = true;
      files.close(force);
    } finally {
      flushing.unlock();
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private void requireOpen() throws IOException {
    if (closed || halfCut) {
      throw new MillraceException(
          closed ? ErrorCode.CLOSED : ErrorCode.DISK,
          name + (closed ? " is closed" : ": cutting it failed half-way; it must be opened anew"));
    }
  }
}
