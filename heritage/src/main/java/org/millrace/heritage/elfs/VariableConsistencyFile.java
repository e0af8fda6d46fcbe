package org.millrace.heritage.elfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.env.Env;

/**
 * A file whose consistency the program chooses, ELFS's {@code Variable_consistency_files}: a rank
 * keeps copies of blocks that it has read and may serve reads from them though others have written
 * since, for as long as the program allows. Semantics and window are chosen for each file and each
 * rank, and may be changed at any time.
 *
 * <p>A copy counts from the instant before it was fetched, so that what a read returns was in the
 * file at most a window ago. Writes go to the file at once, and a rank sees its own. Asynchronous
 * reads are always exact.
 *
 * <p>Belongs to the rank's thread. Closing makes what was written durable; it is idempotent.
 */
public final class VariableConsistencyFile extends UnixFile {

  /** What a read may return. */
  public enum Semantics {
    /** What is in the file now. */
    EXACT,
    /** What was in the file at most a window ago. */
    WINDOW,
    /** What was in the file at any time since {@link #refresh}. */
    UNTIL_REFRESH
  }

  /** Bytes of a block, the unit that is copied. */
  public static final int BLOCK_BYTES = 4096;

  /** A copy. Its bytes are not changed once it is made. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Block(byte[] bytes, int length, long fetchedNanos) {}

  // constant after construction
  private final LongSupplier nanoTime;
  private final Map<Long, Block> blocks;

  // the rank's thread
  private Semantics semantics = Semantics.EXACT;
  private long windowNanos;
  private final List<CompletableFuture<Long>> writing = new ArrayList<>();
  private long served;
  private long fetched;

  /**
   * Opens a file, with exact semantics. Synchronizing: all ranks must give the same path and
   * options.
   *
   * @param maxBlocks copies that are kept; the one unused for longest goes first
   */
  public VariableConsistencyFile(Rank rank, String path, OpenOptions options, int maxBlocks)
      throws IOException {
    this(rank, path, options, maxBlocks, Env.real()::nanoTime);
  }

  /** As the other one, with a clock of the caller's. */
  public VariableConsistencyFile(
      Rank rank, String path, OpenOptions options, int maxBlocks, LongSupplier nanoTime)
      throws IOException {
    super(rank, path, options);
    this.nanoTime = Objects.requireNonNull(nanoTime, "nanoTime");
    this.blocks =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Block> eldest) {
            return size() > maxBlocks;
          }
        };
  }

  /**
   * Chooses what reads may return from now on. Copies that are there are judged by it.
   *
   * @param newWindowNanos how old a copy may be; of importance to {@link Semantics#WINDOW} only
   */
  public void consistency(Semantics newSemantics, long newWindowNanos) {
    if (newWindowNanos < 0) {
      throw new IllegalArgumentException("a window of " + newWindowNanos + " ns");
    }
    semantics = newSemantics;
    windowNanos = newWindowNanos;
  }

  /** What reads may return. */
  public Semantics semantics() {
    return semantics;
  }

  /** How old a copy may be. */
  public long windowNanos() {
    return windowNanos;
  }

  /** Forgets all copies. */
  public void refresh() {
    blocks.clear();
  }

  /** How many blocks were served from copies. */
  public long served() {
    return served;
  }

  /** How many blocks were fetched from the file. */
  public long fetched() {
    return fetched;
  }

  /** Reads at the file pointer, as the semantics allow. */
  @Override
  public long read(MemorySegment into) throws IOException {
    long at = file().position();
    long moved = pread(into, at);
    file().seek(at + moved);
    return moved;
  }

  /** Reads at an offset, as the semantics allow. */
  @Override
  public long pread(MemorySegment into, long offset) throws IOException {
    if (semantics == Semantics.EXACT || isWriting()) {
      return super.pread(into, offset);
    }
    Objects.checkFromIndexSize(offset, into.byteSize(), Long.MAX_VALUE);
    long done = 0;
    while (done < into.byteSize()) {
      long at = offset + done;
      Block block = block(at / BLOCK_BYTES);
      int from = (int) (at % BLOCK_BYTES);
      long count = Math.min(block.length - from, into.byteSize() - done);
      if (count <= 0) {
        break;
      }
      MemorySegment.copy(MemorySegment.ofArray(block.bytes), from, into, done, count);
      done += count;
    }
    return done;
  }

  private Block block(long number) throws IOException {
    Block copy = blocks.get(number);
    if (copy != null && isGood(copy)) {
      served++;
      return copy;
    }
    long before = nanoTime.getAsLong();
    byte[] bytes = new byte[BLOCK_BYTES];
    long length = file().at(number * BLOCK_BYTES).read(Memory.of(bytes));
    Block fresh = new Block(bytes, (int) length, before);
    blocks.put(number, fresh);
    fetched++;
    return fresh;
  }

  private boolean isGood(Block copy) {
    long age = nanoTime.getAsLong() - copy.fetchedNanos;
    return switch (semantics) {
      case EXACT -> false;
      case WINDOW -> age >= 0 && age < windowNanos;
      case UNTIL_REFRESH -> true;
    };
  }

  /** Writes to the file at once. */
  @Override
  public long write(MemorySegment from) throws IOException {
    refresh(); // an appended write goes where only the file knows
    return super.write(from);
  }

  /** Writes to the file at once. */
  @Override
  public long pwrite(MemorySegment from, long offset) throws IOException {
    forget(offset, from.byteSize());
    return super.pwrite(from, offset);
  }

  /** As {@link #pwrite}, while the program goes on; until it is complete reads are exact. */
  @Override
  public CompletableFuture<Long> pwriteAsync(MemorySegment from, long offset) throws IOException {
    refresh();
    CompletableFuture<Long> moving = super.pwriteAsync(from, offset);
    writing.add(moving);
    return moving;
  }

  /** Whether a copy made now might miss what this rank is writing. */
  private boolean isWriting() {
    writing.removeIf(CompletableFuture::isDone);
    return !writing.isEmpty();
  }

  /** Cuts or extends it. Collective. */
  @Override
  public void ftruncate(long size) throws IOException {
    refresh();
    super.ftruncate(size);
  }

  /** Drops copies of what is written, and those with the end of the file, which may move. */
  private void forget(long offset, long length) {
    long first = offset / BLOCK_BYTES;
    long last = (offset + length) / BLOCK_BYTES;
    blocks
        .entrySet()
        .removeIf(
            one ->
                one.getValue().length < BLOCK_BYTES
                    || (one.getKey() >= first && one.getKey() <= last));
  }
}
