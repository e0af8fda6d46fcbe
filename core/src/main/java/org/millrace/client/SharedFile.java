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
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
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

  /** The name it was opened by. */
  public String path() {
    return file.path();
  }

  /** Where its bytes live. */
  public Layout layout() {
    return file.opened().layout();
  }

  /** The mode it is in. */
  public Mode mode() {
    return file.mode();
  }

  /** What this rank sees of it. */
  public View view() {
    return file.view();
  }

  /** How its collective calls are carried out. */
  public Hints hints() {
    return file.hints().hints();
  }

  /**
   * Changes how collective calls are carried out, from the next one on. Not synchronizing by
   * itself, but all ranks must give the same before they call.
   */
  public void setHints(Hints newHints) throws IOException {
    file.checkOpen();
    file.hints(Objects.requireNonNull(newHints, "hints"));
  }

  /**
   * How many plans the ranks of this process have made for collective calls of any file; a call
   * like one of the last ones makes none.
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

  /** Accesses through another view than the rank's own, which stays as it is. */
  public FileAccess through(View other) {
    return FileAccess.through(file, other, null);
  }

  /**
   * Accesses to a part of an array that the file holds. Where all ranks of a collective access name
   * the same array, file domains are whole columns of it.
   *
   * @param part its bytes, relative to the first element
   */
  public FileAccess through(Geometry array, Pattern part) {
    return FileAccess.through(file, array.view(part), array);
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
    long moved = at(position).read(into); // moves on by what was really there
    file.pointer().moveTo(position + moved);
    return moved;
  }

  /** Whether each call is all or nothing against every other. */
  public boolean isAtomic() {
    return file.isAtomic();
  }

  /**
   * Where the next plain read or write goes: the rank's own pointer or the group's, as the mode
   * says.
   */
  public long position() throws IOException {
    file.checkOpen();
    return file.mode().sharesPointer()
        ? file.pointer().sharedPosition()
        : file.pointer().position();
  }

  /** Where the group's pointer stands, whatever the mode. */
  public long sharedPosition() throws IOException {
    file.checkOpen();
    return file.pointer().sharedPosition();
  }

  /**
   * Takes the next bytes of the group's pointer, never beyond {@code limit}, for an access that the
   * caller makes by position. Returns where it stood; nothing was taken if that is the limit.
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
   * ranks must give the same position.
   */
  public void seek(long position) throws IOException {
    file.checkOpen();
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
   * Moves the pointer to the end of the file plus {@code delta}; as {@link #seek}. Where that
   * synchronizes, the end is the largest that any rank sees. Returns the new position.
   */
  public long seekToEnd(long delta) throws IOException {
    file.checkOpen();
    long end =
        file.mode().seekSynchronizes()
            ? Collections.max(ends("seekToEnd", delta, true, new Effect.None()))
            : file.endPosition();
    long position = Math.addExact(end, delta);
    seek(position);
    return position;
  }

  /**
   * Moves the group's pointer, whatever the mode. Synchronizing: all ranks must give the same
   * position.
   */
  public void seekShared(long position) throws IOException {
    file.checkOpen();
    OpenFile.checkRange(position, 0);
    meet("seekShared", position, file.pointer().setShared(position));
  }

  /**
   * Takes the next bytes of the group's pointer, first come, first served, for an access that the
   * caller makes by position afterwards. The place may lie beyond the end. Returns where it begins.
   */
  public long takeShared(long bytes) throws IOException {
    return takeShared(bytes, Long.MAX_VALUE);
  }

  /**
   * As {@link #takeShared(long)}, in order of rank. Synchronizing; the numbers of bytes may differ.
   */
  public long takeOrdered(long bytes) throws IOException {
    file.checkOpen();
    OpenFile.checkRange(bytes, 0);
    file.checkAllowed(PointerKind.ORDERED);
    return file.pointer().advanceInOrder(bytes).range().start();
  }

  private void meet(String call, long argument, Effect effect) throws IOException {
    file.channel().start(new Channel.Call(call, argument, "", 0, effect), false).await();
  }

  /**
   * Changes the mode. Synchronizing: all ranks must ask for the same. All pointers then stand where
   * rank 0's stood. Asynchronous calls that were issued before go on with the places they took.
   */
  public void setMode(Mode newMode) throws IOException {
    file.checkOpen();
    long own = file.pointer().position();
    long start = file.channel().meet("setMode", 0, newMode.name(), own).values().get(0);
    if (file.mode().sharesPointer()) {
      start =
          file.pointer().sharedPosition(); // asked only now: ranks that came late may have moved it
    }
    meet("setMode: position", start, file.pointer().setShared(start));
    file.pointer().moveTo(start);
    enterMode(newMode);
  }

  /** Begins to work in a mode; all ranks come here together. */
  void enterMode(Mode newMode) throws IOException {
    if (newMode == Mode.RECORD && file.options().has(OpenFlag.APPEND)) {
      agreeOnEnd("setMode: end", newMode, new Effect.None());
    }
    file.mode(newMode);
  }

  /**
   * The end to append at, which is a position of the view, is not what it was. All ranks come here
   * together, and none has an access under way.
   */
  private void findEndAgain() throws IOException {
    if (file.options().has(OpenFlag.APPEND)) {
      agreeOnEnd("end to append at", file.mode(), file.pointer().forgetEnd());
    }
  }

  private void agreeOnEnd(String call, Mode inMode, Effect effect) throws IOException {
    file.pointer().moveRecordEndTo(ends(call, 0, inMode == Mode.RECORD, effect).get(0));
  }

  /** Meets, each rank with the end that it sees if that is wanted. */
  private List<Long> ends(String call, long argument, boolean wanted, Effect effect)
      throws IOException {
    long end = 0;
    Failure failure = Failure.NONE;
    try {
      end = wanted ? file.endPosition() : 0;
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
   * Changes what this rank sees of the file, and moves all pointers to the begin. Synchronizing;
   * each rank may give another view. A view that shows a byte twice can be read but not written
   * through.
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
    boolean once = newView.isDisjoint();
    settleAppends();
    meet("setView", 0, file.pointer().setShared(0));
    file.pointer().moveTo(0);
    file.view(newView, end, once);
    findEndAgain();
  }

  /** The position at which this rank's view of the file ends. Not synchronizing. */
  public long endPosition() throws IOException {
    file.checkOpen();
    return file.endPosition();
  }

  /**
   * Makes each call all or nothing against every other call in atomic mode. Synchronizing: all
   * ranks must ask the same.
   */
  public void setAtomic(boolean newAtomic) throws IOException {
    file.checkOpen();
    meet("setAtomic", newAtomic ? 1 : 0, new Effect.None());
    file.atomic(newAtomic);
  }

  /** The size of the file in bytes: one past the highest byte written. */
  public long size() throws IOException {
    file.checkOpen();
    return file.strands().size();
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
   * Where the next byte of the file at or behind {@code offset} may lie that was ever written, or
   * the size if there is none: for those who skip holes. What lies between is zero. Not
   * synchronizing; offsets count bytes of the file, whatever the view.
   */
  public long nextData(long offset) throws IOException {
    file.checkOpen();
    OpenFile.checkRange(offset, 0);
    return file.strands().nextData(offset);
  }

  /**
   * The checksum, CRC32C, of {@code length} bytes from {@code offset} on. The nodes read and sum
   * them where they are; none are sent here. What was never written counts as zeros, behind the
   * file's end, too; what others write meanwhile is summed as it was, or as it is. Not
   * synchronizing; offsets count bytes of the file, whatever the view.
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
   * Cuts or extends the file to {@code size} bytes. Collective: all ranks must give the same size.
   */
  public void resize(long size) throws IOException {
    file.checkWritable();
    OpenFile.checkRange(size, 0);
    settleAppends();
    file.channel()
        .together("resize", size, "", () -> onRankZero(() -> file.strands().resize(size)));
    findEndAgain();
  }

  /**
   * Makes the file at least {@code size} bytes long, with zeros where nothing was written; cuts
   * nothing and overwrites nothing. Not synchronizing.
   */
  public void extend(long size) throws IOException {
    file.checkWritable();
    OpenFile.checkRange(size, 0);
    file.strands().extend(size);
  }

  /**
   * Makes the file at least {@code size} bytes long and takes room for them on the disks.
   * Collective.
   */
  public void preallocate(long size) throws IOException {
    file.checkWritable();
    OpenFile.checkRange(size, 0);
    file.channel()
        .together(
            "preallocate", size, "", () -> onRankZero(() -> file.strands().preallocate(size)));
  }

  /**
   * Takes room on the disks for {@code size} bytes and leaves the file as long as it is; a hint for
   * callers that know how long it will become. Room that is not used goes back when the file is cut
   * or removed. Collective.
   */
  public void reserve(long size) throws IOException {
    file.checkWritable();
    OpenFile.checkRange(size, 0);
    file.channel()
        .together("reserve", size, "", () -> onRankZero(() -> file.strands().reserve(size)));
  }

  /**
   * Fills empty cache slots of all nodes with the file's blocks, from the lowest pointer of any
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
   * fails the call fails on all. Synchronizing.
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

  /** Whether it was closed. */
  public boolean isClosed() {
    return file.isClosed();
  }

  /**
   * Waits for this rank's asynchronous calls on the file, makes its bytes durable and closes it.
   * Synchronizing where the mode says so: then the bytes of all ranks are durable when it returns.
   * If the ranks disagree (one calls another thing) it fails and the file stays open; if one has
   * ended it fails and the file is closed.
   */
  @Override
  public void close() throws IOException {
    FileClosing.close(file);
  }

  /**
   * As {@link #close}, synchronizing in every mode: the ranks share the strands, so that each is
   * flushed once, where ranks that close alone flush every strand each.
   */
  public void closeAll() throws IOException {
    FileClosing.closeAll(file);
  }
}
