package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Chunking;
import org.millrace.access.Distribution;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * An array in one file that all ranks of a group have open: PASSION's Global Placement Model. The
 * file is a {@code .npy} file, which NumPy reads, or a raw one. Each rank has a {@code GlobalArray}
 * of its own for it.
 *
 * <p>{@link #readSection} and {@link #writeSection} are collective: all ranks call, each with its
 * own section, empty ones included. If one rank's section or memory is wrong the call fails on all
 * ranks with INVALID, and nothing moves. Sections of different ranks may overlap; where they do
 * when writing it ends as if the ranks had written one after the other, the lowest first. The
 * {@code Alone} forms are for one rank for itself; there wrong use throws at once.
 *
 * <p>All calls return how many bytes moved. Belongs to the rank's thread. Closing waits for what is
 * under way, makes the elements durable, and is idempotent.
 */
public final class GlobalArray implements AutoCloseable {

  // constant after construction
  private final Rank rank;
  private final ArrayFile file;
  private final Placement placement;
  private final ArrayState state;

  // owned by the rank's thread
  private @Nullable CompletableFuture<Long> split;
  private @Nullable LastPart last;

  /** Where a section lies, which programs read or write step after step. */
  private record LastPart(Section section, Placement.Part part) {}

  GlobalArray(Rank rank, SharedFile file, Placement placement) {
    this(rank, new ArrayFile(file, file::hints), placement, new ArrayState());
  }

  private GlobalArray(Rank rank, ArrayFile file, Placement placement, ArrayState state) {
    this.rank = rank;
    this.file = file;
    this.placement = placement;
    this.state = state;
  }

  /**
   * Makes an array of zeros. Collective: all ranks must give the same, or the call fails on all
   * with {@link org.millrace.error.MixedCallException} and no file is made.
   *
   * @param options for writing; an array of this name that is there already is replaced only if
   *     they say so by {@code truncate()}
   */
  public static GlobalArray create(
      Rank rank, String path, Shape shape, ElementType type, OpenOptions options)
      throws IOException {
    return ArrayOpening.create(rank, path, shape, type, options);
  }

  /**
   * Opens the array in a {@code .npy} file. Collective. A file that is none, or whose header is not
   * true, is refused with INVALID on all ranks.
   */
  public static GlobalArray open(Rank rank, String path, OpenOptions options) throws IOException {
    return ArrayOpening.open(rank, path, options);
  }

  /**
   * Opens the array that lies in any file from byte {@code headerBytes} on. Collective. The file
   * must have all of it, or be empty and opened with creating or truncating: then it gets its size
   * now.
   */
  public static GlobalArray openRaw(
      Rank rank, String path, Shape shape, ElementType type, long headerBytes, OpenOptions options)
      throws IOException {
    return ArrayOpening.openRaw(rank, path, () -> new Dense(shape, type, headerBytes), options);
  }

  /**
   * As {@link #openRaw}, for an array that lies in the file chunk by chunk from byte {@code
   * headerBytes} on. What lies behind the last chunk is not touched.
   */
  public static GlobalArray openChunked(
      Rank rank,
      String path,
      Chunking chunking,
      ElementType type,
      long headerBytes,
      OpenOptions options)
      throws IOException {
    return ArrayOpening.openRaw(
        rank, path, () -> new Chunked(chunking, type, headerBytes), options);
  }

  /** The size of each dimension, and the order in the file. */
  public Shape shape() {
    return placement.shape();
  }

  /** What it is an array of. */
  public ElementType type() {
    return placement.type();
  }

  /** Where in the file the elements begin. */
  public long headerBytes() {
    return placement.headerBytes();
  }

  /** The file that holds it, for hints and for what else can be asked of a file. */
  public SharedFile file() {
    return file.file();
  }

  /**
   * The same array, whose calls are carried out as these hints say instead of the file's own. All
   * ranks must give equal ones. Closing either closes both.
   */
  public GlobalArray withHints(Hints hints) {
    return withHints(() -> hints);
  }

  /** As {@link #withHints(Hints)}; the hints are asked for when a call begins. */
  public GlobalArray withHints(Supplier<Hints> hints) {
    return new GlobalArray(rank, new ArrayFile(file.file(), hints), placement, state);
  }

  /** This rank, as a member of the group that has the array open. */
  public Rank rank() {
    return rank;
  }

  Placement placement() {
    return placement;
  }

  ArrayFile arrayFile() {
    return file;
  }

  /** Reads a section, all ranks together. */
  public long readSection(Section section, Local into) throws IOException {
    Transfer transfer = Transfer.together(file, () -> reading(section, into).checked());
    MemorySegment packed = transfer.isRefused() ? null : state.prefetched().take(section);
    if (packed == null) {
      return transfer.readAll();
    }
    Transfer.nothing(file).readAll(); // if this fails nothing has been touched
    return transfer.fill(packed);
  }

  /**
   * Says that the file is written by another way: this rank forgets what it has read ahead, and no
   * {@link SectionWindow} uses again what it read before.
   */
  public void written() {
    state.prefetched().drop();
    state.written();
  }

  long writes() {
    return state.writes();
  }

  /** A write that goes on: what is read meanwhile may be old when it ends. */
  CompletableFuture<Long> untilWritten(CompletableFuture<Long> moving) {
    return moving.whenComplete((_, _) -> state.written());
  }

  /** Writes a section, all ranks together. */
  public long writeSection(Section section, Local from) throws IOException {
    written();
    return Transfer.together(file, () -> writing(section, from)).writeAll();
  }

  /** Reads a section, this rank for itself. */
  public long readSectionAlone(Section section, Local into) throws IOException {
    Transfer transfer = reading(section, into);
    long copied = fromPrefetched(section, transfer);
    return copied < 0 ? transfer.read() : copied;
  }

  /** Writes a section, this rank for itself. */
  public long writeSectionAlone(Section section, Local from) throws IOException {
    written();
    return writing(section, from).write();
  }

  /**
   * As {@link #readSection}, while the program goes on; the memory must be of a shared or automatic
   * arena or on the heap, and belongs to the operation until the future is complete.
   */
  public CompletableFuture<Long> readSectionAsync(Section section, Local into) throws IOException {
    return Transfer.together(file, () -> reading(section, into)).readAllAsync();
  }

  /** As {@link #writeSection}, while the program goes on; see {@link #readSectionAsync}. */
  public CompletableFuture<Long> writeSectionAsync(Section section, Local from) throws IOException {
    written();
    return untilWritten(Transfer.together(file, () -> writing(section, from)).writeAllAsync());
  }

  /** As {@link #readSectionAlone}, while the program goes on; see {@link #readSectionAsync}. */
  public CompletableFuture<Long> readSectionAloneAsync(Section section, Local into)
      throws IOException {
    return reading(section, into).readAsync();
  }

  /** As {@link #writeSectionAlone}, while the program goes on; see {@link #readSectionAsync}. */
  public CompletableFuture<Long> writeSectionAloneAsync(Section section, Local from)
      throws IOException {
    written();
    return untilWritten(writing(section, from).writeAsync());
  }

  /**
   * Begins what {@link #endSection} ends: as {@link #readSection}, in two halves. One such call of
   * an array may be under way.
   */
  public void beginReadSection(Section section, Local into) throws IOException {
    checkNoSplit();
    split = readSectionAsync(section, into);
  }

  /** As {@link #beginReadSection}, for writing. */
  public void beginWriteSection(Section section, Local from) throws IOException {
    checkNoSplit();
    split = writeSectionAsync(section, from);
  }

  private void checkNoSplit() {
    if (split != null) {
      throw new IllegalStateException("another begin of this array waits for its endSection");
    }
  }

  /** Waits for what {@link #beginReadSection} or {@link #beginWriteSection} began. */
  public long endSection() throws IOException {
    CompletableFuture<Long> moving = split;
    if (moving == null) {
      throw new IllegalStateException("endSection without a begin");
    }
    split = null;
    return Transfer.await(moving);
  }

  /**
   * Reads this rank's part of a distribution of the whole array, all ranks together. The memory's
   * dimensions are those of {@link Distribution#localShape}, or larger with a rim.
   */
  public long readDistributed(Distribution distribution, Local into) throws IOException {
    return Transfer.together(file, () -> reading(distribution, into)).readAll();
  }

  /** Writes this rank's part of a distribution of the whole array, all ranks together. */
  public long writeDistributed(Distribution distribution, Local from) throws IOException {
    written();
    return Transfer.together(file, () -> writing(distribution, from)).writeAll();
  }

  /** As {@link #readDistributed}, while the program goes on; see {@link #readSectionAsync}. */
  public CompletableFuture<Long> readDistributedAsync(Distribution distribution, Local into)
      throws IOException {
    return Transfer.together(file, () -> reading(distribution, into)).readAllAsync();
  }

  /** As {@link #writeDistributed}, while the program goes on; see {@link #readSectionAsync}. */
  public CompletableFuture<Long> writeDistributedAsync(Distribution distribution, Local from)
      throws IOException {
    written();
    return untilWritten(Transfer.together(file, () -> writing(distribution, from)).writeAllAsync());
  }

  /**
   * Begins to read a section into this array's own second buffer, all ranks together, so that the
   * next {@link #readSection} or {@link #readSectionAlone} of just this section only copies it.
   * Each rank has its own section, empty ones included; if one rank's is wrong the read ahead fails
   * on all, that rank is told here, and the others read as if they had not asked for it. Holds one
   * section; a write of this rank through this array, collective ones included, forgets it. What
   * other ranks write alone between this call and the read may or may not be in it.
   */
  public void prefetch(Section section) throws IOException {
    long bytes;
    try {
      bytes = placement.section(section).size();
    } catch (RuntimeException e) { // comes all the same: others wait for this rank
      state.prefetched().refuse(file.refusing(e).all().readAsync(Memory.of(MemorySegment.NULL)));
      throw e;
    }
    state.prefetched().start(section, bytes, buffer -> ahead(section, buffer).readAllAsync());
  }

  /** As {@link #prefetch}, this rank for itself. */
  public void prefetchAlone(Section section) throws IOException {
    long bytes = placement.section(section).size();
    state.prefetched().start(section, bytes, buffer -> ahead(section, buffer).readAsync());
  }

  private Transfer ahead(Section section, MemorySegment buffer) {
    return reading(section, Local.of(buffer, section.shape(shape().order())));
  }

  /** How many reads were served from the second buffer. */
  public long prefetchHits() {
    return state.prefetched().hits();
  }

  /** A window that moves over the array, all ranks together. */
  public SectionWindow window() {
    return new SectionWindow(this, true);
  }

  /** A window that moves over the array, for this rank alone. */
  public SectionWindow windowAlone() {
    return new SectionWindow(this, false);
  }

  /** Does a read from what was fetched ahead; -1 if it was not. */
  private long fromPrefetched(Section section, Transfer transfer) {
    MemorySegment packed = transfer.isRefused() ? null : state.prefetched().take(section);
    return packed == null ? -1 : transfer.fill(packed);
  }

  private Transfer reading(Section section, Local into) {
    return Transfer.read(file, placement, () -> part(section), into);
  }

  private Transfer writing(Section section, Local from) {
    return Transfer.write(file, placement, () -> part(section), from);
  }

  private Transfer reading(Distribution distribution, Local into) {
    return Transfer.read(file, placement, () -> part(distribution), into);
  }

  private Transfer writing(Distribution distribution, Local from) {
    return Transfer.write(file, placement, () -> part(distribution), from);
  }

  private Placement.Part part(Section section) {
    LastPart known = last;
    if (known == null || !known.section.equals(section)) {
      known = new LastPart(section, placement.section(section));
      last = known;
    }
    return known.part;
  }

  /** This rank's part of a distribution of the whole array. */
  Placement.Part part(Distribution distribution) {
    return placement.distributed(Section.whole(shape()), distribution, rank.number(), rank.size());
  }

  /** Returns after all that was written, by whomever, is durable. Not synchronizing. */
  public void flush() throws IOException {
    file.file().flush();
  }

  @Override
  public void close() throws IOException {
    state.prefetched().drop();
    file.file().close();
  }

  @Override
  public String toString() {
    return "%s: %s of %s, %s".formatted(file.path(), shape().dims(), type(), shape().order());
  }
}
