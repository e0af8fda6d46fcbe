package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Range;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;

/**
 * A file that the ranks of a group have open together: each rank has a {@code SharedFile} of its
 * own for it. The {@linkplain Mode mode} says where plain reads and writes go and which calls wait
 * for all ranks; {@code docs/io-modes.md} has the table.
 *
 * <p>A completed write is visible to every later read of every rank. It is durable after {@link
 * #flush()} or {@link #close()}.
 *
 * <p>Belongs to the rank's thread; calls with an explicit position may come from several threads.
 * Closing makes the file's bytes durable, waits for all ranks where the mode says so, and is
 * idempotent.
 */
public final class SharedFile implements DataAccess, AutoCloseable {

  private final OpenFile file;
  private final PointerAccess ofMode;

  SharedFile(OpenFile file) {
    this.file = file;
    this.ofMode = new PointerAccess(file, () -> file.mode().pointing());
  }

  OpenFile file() {
    return file;
  }

  /** The path with which it was opened. */
  public String path() {
    return file.path();
  }

  /** The striping of its bytes over the nodes. */
  public Layout layout() {
    return file.opened().layout();
  }

  /** The current mode. */
  public Mode mode() {
    return file.mode();
  }

  /** This rank's view of it. */
  public View view() {
    return file.view();
  }

  /** The hints for its collective calls. */
  public Hints hints() {
    return file.hints().hints();
  }

  /**
   * Changes the hints for later collective calls. Not synchronizing itself, but all ranks must set
   * the same hints before the next call.
   */
  public void setHints(Hints newHints) throws IOException {
    file.checkOpen();
    file.hints(Objects.requireNonNull(newHints, "hints"));
  }

  /**
   * How many plans the ranks of this process have made for collective calls of any file. Calls that
   * repeat a recent request reuse its plan.
   */
  public long plansMade() {
    return file.rank().session().transfers().plans().made();
  }

  /** Accesses at a position of the rank's view. No pointer moves. */
  public FileAccess at(long position) {
    return FileAccess.at(file, position);
  }

  /** Accesses of all ranks together, each at its own pointer unless a position is given. */
  public FileAccess all() {
    return FileAccess.all(file);
  }

  /** Accesses at the group's pointer, first come, first served. */
  public DataAccess shared() {
    return new PointerAccess(file, () -> file.checkAllowed(PointerKind.SHARED));
  }

  /** Accesses at the group's pointer in order of rank. Synchronizing; lengths may differ. */
  public DataAccess ordered() {
    return new PointerAccess(file, () -> file.checkAllowed(PointerKind.ORDERED));
  }

  /** Accesses through another view than the rank's own, which does not change. */
  public FileAccess through(View other) {
    return FileAccess.through(file, other, null);
  }

  /**
   * Accesses to a part of an array in the file. If all ranks of a collective access name the same
   * array, file domains are whole columns of it.
   *
   * @param part its bytes, relative to the first element
   */
  public FileAccess through(Geometry array, Pattern part) {
    return FileAccess.through(file, array.view(part), array);
  }

  /**
   * Accesses to the bytes of one strand, which are contiguous there; positions count bytes of the
   * strand. What one rank alone reads ends at the {@linkplain #strandEnd strand's own end},
   * whatever the others hold: for files that are made of a part on each node. Made collective, it
   * is a view like any other and ends with the file.
   */
  public FileAccess strand(int strand) {
    return FileAccess.ofStrand(file, strand);
  }

  @Override
  public long read(Memory into) throws IOException {
    return ofMode.read(into);
  }

  @Override
  public long write(Memory from) throws IOException {
    return ofMode.write(from);
  }

  @Override
  public CompletableFuture<Long> readAsync(Memory into) throws IOException {
    return ofMode.readAsync(into);
  }

  @Override
  public CompletableFuture<Long> writeAsync(Memory from) throws IOException {
    return ofMode.writeAsync(from);
  }

  @Override
  public long read(MemorySegment into) throws IOException {
    if (file.mode().pointing() != PointerKind.PRIVATE) {
      return ofMode.read(Memory.of(into));
    }
    long position = file.pointer().position();
    file.unfinished().awaitConflicting(false, file.view(), new Range(position, into.byteSize()));
    long moved = at(position).read(into); // moves on by what was really there
    file.pointer().moveTo(position + moved);
    return moved;
  }

  /** What a program does with a file while it goes on with something else. */
  @FunctionalInterface
  public interface Work {
    /** Does it; returns a count that means something to the caller. */
    long run() throws IOException;
  }

  /**
   * Does work of the caller's as one of the rank's asynchronous operations: several accesses, each
   * where the one before has led. It makes only such calls as may come from several threads.
   * Closing the file waits for it.
   */
  public CompletableFuture<Long> async(Work work) throws IOException {
    file.checkOpen();
    return file.start(work::run);
  }

  /** Whether each call is atomic with respect to all other atomic calls. */
  public boolean isAtomic() {
    return file.isAtomic();
  }

  /**
   * The position of the next plain read or write: the rank's own pointer or the group's, depending
   * on the mode. In the modes ORDERED and GLOBAL it is known when all ranks have issued what this
   * one has; this call waits for that.
   */
  public long position() throws IOException {
    file.checkOpen();
    if (file.mode().transferSynchronizes()) {
      file.unfinished().awaitPlaces();
    }
    return file.mode().sharesPointer()
        ? file.pointer().sharedPosition()
        : file.pointer().position();
  }

  /**
   * Where the file ends, as a position of the rank's view: behind the bytes that are there, behind
   * those that this rank's asynchronous accesses are about to write, and behind the places that
   * ranks have taken to append at. Not synchronizing.
   */
  public long endPosition() throws IOException {
    file.checkOpen();
    return file.pointer().end();
  }

  /** The position of the group's pointer, in any mode. */
  public long sharedPosition() throws IOException {
    file.checkOpen();
    return file.pointer().sharedPosition();
  }

  /**
   * Reserves the next bytes at the group's pointer, never beyond {@code limit}, for a later access
   * at that position. Returns the old position of the pointer; if that is the limit, nothing was
   * reserved.
   */
  public long takeShared(long bytes, long limit) throws IOException {
    file.checkOpen();
    file.checkAllowed(PointerKind.SHARED);
    OpenFile.checkRange(bytes, 0);
    return file.pointer().takeShared(bytes, limit);
  }

  /**
   * Waits for a lock of the group's pointer, for those who move bytes and the pointer in one step.
   * It keeps out only others who take it, of this group and this open file.
   */
  public HeldLock lockPointer() throws IOException {
    file.checkOpen();
    return file.rank().lock("pointer " + file.opened().pointer());
  }

  /**
   * Moves the pointer of the mode. Synchronizing in the modes ORDERED, RECORD and GLOBAL, where all
   * ranks must pass the same position.
   */
  public void seek(long position) throws IOException {
    file.checkOpen();
    if (file.mode().seekSynchronizes()) {
      checkOnAll("seek", position);
      file.unfinished().awaitPlaces(); // or one of them could move the pointer after this
    }
    OpenFile.checkRange(position, 0);
    if (file.mode().sharesPointer()) {
      if (file.mode().seekSynchronizes()) {
        meet("seek", position, file.pointer().setShared(position));
      } else {
        file.pointer().moveSharedTo(position);
      }
      return;
    }
    if (file.mode().seekSynchronizes()) {
      meet("seek", position, new Effect.None());
    }
    file.pointer().moveTo(position);
  }

  /**
   * As {@link #seek}, to the end of the file plus {@code delta}. If the call is synchronizing, the
   * end is the largest that any rank sees. Returns the new position.
   */
  public long seekToEnd(long delta) throws IOException {
    file.checkOpen();
    long end;
    if (file.mode().seekSynchronizes()) {
      file.unfinished().awaitPlaces();
      end = Collections.max(ends("seekToEnd", delta, file.pointer()::end, new Effect.None()));
    } else {
      end = file.pointer().end();
    }
    long position = Math.addExact(end, delta);
    seek(position);
    return position;
  }

  /**
   * Moves the group's pointer, in any mode. Synchronizing: all ranks must pass the same position.
   */
  public void seekShared(long position) throws IOException {
    file.checkOpen();
    checkOnAll("seekShared", position);
    file.unfinished().awaitPlaces();
    meet("seekShared", position, file.pointer().setShared(position));
  }

  /**
   * Reserves the next bytes at the group's pointer, first come, first served, for a later access at
   * that position, which may be beyond the end of the file. Returns the position.
   */
  public long takeShared(long bytes) throws IOException {
    return takeShared(bytes, Long.MAX_VALUE);
  }

  /**
   * As {@link #takeShared(long)}, in order of rank. Synchronizing; the numbers of bytes may differ.
   */
  public long takeOrdered(long bytes) throws IOException {
    file.checkOpen();
    file.checkAllowed(PointerKind.ORDERED);
    checkOnAll("takeOrdered", bytes);
    return file.pointer().advanceInOrder(bytes).range().start();
  }

  /** Checks a number in a call to which all ranks come: if it is wrong here, all fail. */
  private void checkOnAll(String call, long position) {
    try {
      OpenFile.checkRange(position, 0);
    } catch (IllegalArgumentException e) {
      throw file.channel().refuse(call, e);
    }
  }

  private void meet(String call, long argument, Effect effect) throws IOException {
    file.channel().start(new Channel.Call(call, argument, "", 0, effect), false).await();
  }

  /**
   * Changes the mode. Synchronizing: all ranks must pass the same mode. All pointers are then where
   * rank 0's was. Asynchronous calls that were issued before keep their places.
   */
  public void setMode(Mode newMode) throws IOException {
    file.checkOpen();
    if (newMode == null) {
      throw file.channel().refuse("setMode", new NullPointerException("mode"));
    }
    file.unfinished().awaitPlaces(); // of this rank; at the meeting, of all
    long own = file.pointer().position();
    long start = file.channel().meet("setMode", 0, newMode.name(), own).values().get(0);
    Failure failure = Failure.NONE;
    try {
      if (file.mode().sharesPointer()) {
        start = file.pointer().sharedPosition(); // now: ranks that came late may have moved it
      }
      file.pointer().announceRecords();
    } catch (IOException e) { // comes all the same, or the others would wait for this rank
      failure = Failure.of(MillraceException.wrap(ErrorCode.DISK, e));
    }
    Effect effect = file.pointer().setShared(start);
    file.channel()
        .start(new Channel.Call("setMode: position", start, "", 0, effect, failure), false)
        .await();
    file.pointer().moveTo(start);
    enterMode(newMode);
  }

  /** Begins to work in a mode; all ranks come here together. */
  void enterMode(Mode newMode) throws IOException {
    if (newMode == Mode.RECORD && file.options().has(OpenFlag.APPEND)) {
      file.pointer()
          .moveRecordEndTo(
              Collections.max(ends("setMode: end", 0, file.pointer()::end, new Effect.None())));
    }
    file.mode(newMode);
  }

  /**
   * The end to append at, which is a position of the view, is not what it was. All ranks come here
   * together, and none has an access under way.
   */
  private void findEndAgain() throws IOException {
    if (file.options().has(OpenFlag.APPEND)) {
      SeenEnd seen = file.mode() == Mode.RECORD ? file.pointer()::writtenEnd : () -> 0;
      Effect forget = file.pointer().forgetViewEnd();
      file.pointer().moveRecordEndTo(Collections.max(ends("end to append at", 0, seen, forget)));
    }
  }

  /** The end that a rank sees. */
  private interface SeenEnd {
    long position() throws IOException;
  }

  /** Meets, each rank with the end that it sees. */
  private List<Long> ends(String call, long argument, SeenEnd seen, Effect effect)
      throws IOException {
    long end = 0;
    Failure failure = Failure.NONE;
    try {
      end = seen.position();
    } catch (MillraceException e) { // comes all the same, or the others would wait for this rank
      failure = Failure.of(e);
    }
    var one = new Channel.Call(call, argument, "", end, effect, failure);
    return file.channel().start(one, false).met().values();
  }

  /** Accesses that took their places keep them, as long as these mean the same. */
  private void settleAppends() {
    if (file.options().has(OpenFlag.APPEND)) {
      file.awaitOperations();
    }
  }

  /**
   * Changes this rank's view of the file, and moves all pointers to the beginning. Synchronizing;
   * the ranks' views may differ. A view that contains a byte twice is for reading only.
   */
  public void setView(View newView) throws IOException {
    view(newView, null);
  }

  /**
   * As {@link #setView(View)}, of a view that does not end where the file does: accesses of one
   * rank through it, and pointers, end where {@code end} says. Collective accesses, and accesses
   * through other views, go by the size of the file.
   */
  public void setView(View newView, ViewEnd end) throws IOException {
    view(newView, Objects.requireNonNull(end, "end"));
  }

  private void view(View newView, @Nullable ViewEnd end) throws IOException {
    file.checkOpen();
    boolean once;
    try {
      once = Objects.requireNonNull(newView, "view").isDisjoint();
    } catch (RuntimeException e) {
      throw file.channel().refuse("setView", e);
    }
    file.unfinished().awaitPlaces();
    settleAppends();
    meet("setView", 0, file.pointer().setShared(0));
    file.pointer().moveTo(0);
    file.view(newView, end, once);
    findEndAgain();
  }

  /**
   * Makes each call atomic with respect to all other calls in atomic mode. Synchronizing: all ranks
   * must pass the same value.
   */
  public void setAtomic(boolean newAtomic) throws IOException {
    file.checkOpen();
    meet("setAtomic", newAtomic ? 1 : 0, new Effect.None());
    file.atomic(newAtomic);
  }

  /**
   * The size of the file in bytes: one past the highest byte written. Fails if one of its strands
   * cannot tell; the error says which, and how long the file is at least.
   */
  public long size() throws IOException {
    file.checkOpen();
    try {
      return file.strands().size();
    } catch (MillraceException e) {
      throw file.named(e);
    }
  }

  /**
   * Where a strand ends: one past its highest byte that was written, counted in bytes of the
   * strand. What lies behind it in a file that is longer reads as zeros. Not synchronizing.
   */
  public long strandEnd(int strand) throws IOException {
    file.checkOpen();
    Objects.checkIndex(strand, layout().strands());
    return file.strands().strandEnd(strand);
  }

  /**
   * The offset of the next byte at or after {@code offset} that may have been written, or the size
   * if there is none, so that callers can skip holes. Bytes in between are zero. Not synchronizing;
   * offsets are bytes of the file, not of the view.
   */
  public long nextData(long offset) throws IOException {
    file.checkOpen();
    OpenFile.checkRange(offset, 0);
    return file.strands().nextData(offset);
  }

  /**
   * The checksum, CRC32C, of {@code length} bytes from {@code offset} on. The nodes compute it; no
   * bytes are sent. Bytes that were never written, and bytes behind the end, count as zeros. Bytes
   * that are written concurrently count with their old or new value. Not synchronizing; offsets are
   * bytes of the file, not of the view.
   */
  public int checksum(long offset, long length) throws IOException {
    file.checkOpen();
    OpenFile.checkRange(offset, length);
    if (length < 0) {
      throw new IllegalArgumentException("length " + length + " is negative");
    }
    return file.strands().checksum(offset, length);
  }

  /**
   * Truncates or extends the file to {@code size} bytes. Collective: all ranks must pass the same
   * size.
   */
  public void resize(long size) throws IOException {
    file.checkWritable();
    checkOnAll("resize", size);
    settleAppends();
    file.channel()
        .together(
            "resize",
            size,
            "",
            () ->
                onRankZero(
                    () -> {
                      file.strands().resize(size);
                      file.pointer().forgetEnd();
                    }));
    findEndAgain();
  }

  /**
   * Makes the file at least {@code size} bytes long, filled with zeros. It never truncates or
   * overwrites. Not synchronizing.
   */
  public void extend(long size) throws IOException {
    file.checkWritable();
    OpenFile.checkRange(size, 0);
    file.strands().extend(size);
  }

  /**
   * Makes the file at least {@code size} bytes long and allocates disk space for them. Collective.
   */
  public void preallocate(long size) throws IOException {
    file.checkWritable();
    checkOnAll("preallocate", size);
    file.channel()
        .together(
            "preallocate", size, "", () -> onRankZero(() -> file.strands().preallocate(size)));
  }

  /**
   * Allocates disk space for {@code size} bytes without changing the size of the file; a hint for
   * callers that know its final size. Unused space is freed when the file is truncated or removed.
   * Collective.
   */
  public void reserve(long size) throws IOException {
    file.checkWritable();
    checkOnAll("reserve", size);
    file.channel()
        .together("reserve", size, "", () -> onRankZero(() -> file.strands().reserve(size)));
  }

  /**
   * Fills the free cache memory of all nodes with the file's blocks, from the lowest pointer of any
   * rank on. Collective.
   */
  public void preload() throws IOException {
    file.checkOpen();
    long mine =
        file.view().isContiguous() || file.view().tile().size() > 0
            ? file.view().offsetOf(position())
            : 0;
    long lowest =
        file.channel().meet("preload: pointers", 0, "", mine).values().stream()
            .min(Long::compare)
            .orElseThrow();
    file.channel()
        .together("preload", 0, "", () -> onRankZero(() -> file.strands().preload(lowest)));
  }

  private interface Act {
    void run() throws IOException;
  }

  private long onRankZero(Act act) throws IOException {
    if (file.rank().number() == 0) {
      act.run();
    }
    return 0;
  }

  /**
   * Returns after all bytes that any rank has written to the file are durable. Not synchronizing.
   */
  public void flush() throws IOException {
    file.checkOpen();
    SharedFlush.flush(file);
  }

  /**
   * As {@link #flush}, for all ranks together: returns after all bytes that any rank had written
   * before it called are durable. Each strand is flushed once, by one of the ranks; if one of them
   * fails, the call fails on all. Synchronizing.
   */
  public void flushAll() throws IOException {
    file.checkOpen();
    int ranks = file.rank().size();
    file.channel()
        .together(
            "flushAll",
            0,
            "",
            () -> {
              file.strands().flushShare(file.rank().number(), ranks);
              return 0;
            });
  }

  /**
   * Says something of this rank's use of the file to people who ask what the cluster is doing; it
   * replaces what the rank said before. At most 1024 characters.
   */
  public void describe(String what) throws IOException {
    file.checkOpen();
    file.rank()
        .session()
        .ask(
            new CoordinatorRequest.Describe(
                file.rank().group(), file.rank().number(), file.opened().open(), what));
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return file.isClosed();
  }

  /**
   * Waits for this rank's asynchronous calls on the file, makes its bytes durable and closes it.
   * Depending on the mode it is synchronizing: then the bytes of all ranks are durable when it
   * returns. If a rank makes another call, it fails and the file stays open; if a rank has ended,
   * it fails and the file is closed.
   */
  @Override
  public void close() throws IOException {
    FileClosing.close(file);
  }

  /**
   * As {@link #close}, but synchronizing in every mode: the ranks divide the strands among
   * themselves, so that each strand is flushed once. Ranks that close alone flush every strand
   * each.
   */
  public void closeAll() throws IOException {
    FileClosing.closeAll(file);
  }
}
