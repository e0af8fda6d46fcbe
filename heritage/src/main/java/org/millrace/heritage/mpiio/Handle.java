package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.mpiio.Call.Data;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * One rank's open file: its view, its own pointer, its split collective call; and the one way that
 * all data accesses go. An access is checked, takes its place, and moves bytes between memory and
 * the file by position, through the view that it was issued under.
 *
 * <p>Pointers move by what was asked for, as the standard's formula has it, also where a read meets
 * the end of the file. A blocking access that fails leaves the rank's own pointer where it was.
 *
 * <p>Belongs to the rank's thread.
 */
final class Handle {

  /** Something that a rank does with the file. */
  interface Act<T> {
    T run() throws IOException;
  }

  /** A split collective call between its begin and its end. */
  private record Split(String name, MemorySegment buffer, Request request) {}

  private static final Memory NOTHING = Memory.of(MemorySegment.ofArray(new byte[0]));

  // constant after construction
  final Rank rank;
  final SharedFile file;
  final int amode;

  // the rank's thread
  private FileView shown = FileView.BYTES;
  private View view = View.WHOLE;
  private Datarep datarep = Datarep.NATIVE;
  private long position;
  private @Nullable Split split;

  Handle(Rank rank, SharedFile file, int amode) {
    this.rank = rank;
    this.file = file;
    this.amode = amode;
  }

  /** Runs {@code act}, and tells what goes wrong in MPI's terms. */
  static <T> T told(Act<T> act) throws MpiFileException {
    try {
      return act.run();
    } catch (IOException | RuntimeException e) {
      throw MpiFileException.of(e);
    }
  }

  FileView shown() {
    return shown;
  }

  View view() {
    return view;
  }

  /** The rank's own pointer, in bytes of the view. */
  long position() {
    return position;
  }

  void moveTo(long newPosition) {
    position = newPosition;
  }

  void show(FileView newShown, View newView, Datarep newDatarep) {
    shown = newShown;
    view = newView;
    datarep = newDatarep;
    position = 0;
  }

  void checkOpen() throws MpiFileException {
    if (file.isClosed()) {
      throw new MpiFileException(ErrorClass.FILE, file.path() + " is closed");
    }
  }

  void checkWritable() throws MpiFileException {
    checkOpen();
    if (Amode.has(amode, Amode.RDONLY)) {
      throw new MpiFileException(ErrorClass.READ_ONLY, file.path() + " was opened RDONLY");
    }
  }

  void checkNotSequential(String what) throws MpiFileException {
    checkOpen();
    if (Amode.has(amode, Amode.SEQUENTIAL)) {
      throw new MpiFileException(
          ErrorClass.UNSUPPORTED_OPERATION,
          file.path() + " was opened SEQUENTIAL, which rules out " + what);
    }
  }

  void checkNoSplit() throws MpiFileException {
    if (split != null) {
      throw new MpiFileException(
          ErrorClass.IO, split.name + "Begin has not ended: call " + split.name + "End first");
    }
  }

  /** What is the same on all ranks, so that no meeting is needed to fail on all. */
  private void checkAllowed(Call call) throws MpiFileException {
    if (call.write()) {
      checkWritable();
    } else {
      checkOpen();
      if (Amode.has(amode, Amode.WRONLY)) {
        throw new MpiFileException(ErrorClass.ACCESS, file.path() + " was opened WRONLY");
      }
    }
    if (call.where() != Where.SHARED) {
      checkNotSequential("explicit offsets and individual pointers");
    }
  }

  private Data data(Call call, boolean later) throws MpiFileException {
    Data data = call.data(datarep, later);
    if (data.bytes() % shown.etype().getSize() != 0) {
      throw new MpiFileException(
          ErrorClass.TYPE,
          "%d bytes are no whole number of etypes %s".formatted(data.bytes(), shown.etype()));
    }
    if (view.isEmpty() && data.bytes() > 0) {
      throw new MpiFileException(ErrorClass.ARG, data.bytes() + " bytes of an empty view");
    }
    if (call.where() != Where.SHARED) {
      long from = call.where() == Where.POINTER ? position : shown.bytes(call.offset());
      if (from < 0) {
        throw new MpiFileException(ErrorClass.ARG, "offset " + call.offset() + " is negative");
      }
      told(() -> new Access(view, from, Math.addExact(from, data.bytes())));
    }
    return data;
  }

  /** Where the access goes, in bytes of the view. */
  private long place(Call call, long bytes, boolean together) throws IOException {
    return switch (call.where()) {
      case OFFSET -> shown.bytes(call.offset());
      case POINTER -> position;
      case SHARED -> together ? file.takeOrdered(bytes) : file.takeShared(bytes);
    };
  }

  private void moveOn(Call call, long start, Data data) {
    if (call.where() == Where.POINTER) {
      position = start + data.bytes();
    }
  }

  /** This rank for itself, blocking. */
  Status run(Call call) throws MpiFileException {
    checkAllowed(call);
    Data data = data(call, false);
    return told(
        () -> {
          long start = place(call, data.bytes(), false);
          FileAccess through = file.through(view).at(start);
          long moved = data.bytes();
          if (!call.write()) {
            moved = through.read(data.memory());
          } else if (data.swaps()) {
            External32.write(file, view, start, data);
          } else {
            through.write(data.memory());
          }
          return arrived(call, start, data, moved);
        });
  }

  private Status arrived(Call call, long start, Data data, long moved) {
    if (!call.write() && data.swaps()) {
      External32.swapInPlace(data, moved);
    }
    moveOn(call, start, data);
    return new Status(moved);
  }

  /** This rank for itself, nonblocking. */
  Request start(Call call) throws MpiFileException {
    checkAllowed(call);
    Data data = data(call, true);
    return told(
        () -> {
          long start = place(call, data.bytes(), false);
          FileAccess through = file.through(view).at(start);
          CompletableFuture<Long> moved =
              call.write()
                  ? through.writeAsync(source(data))
                  : swapped(data, through.readAsync(data.memory()));
          moveOn(call, start, data);
          return new Request(moved);
        });
  }

  private static Memory source(Data data) {
    return data.swaps() ? External32.copied(data) : data.memory();
  }

  private static CompletableFuture<Long> swapped(Data data, CompletableFuture<Long> read) {
    return data.swaps()
        ? read.thenApply(
            moved -> {
              External32.swapInPlace(data, moved);
              return moved;
            })
        : read;
  }

  /** All ranks together, blocking. */
  Status runAll(Call call) throws MpiFileException {
    checkAllowed(call);
    boolean staged = call.write() && datarep == Datarep.EXTERNAL32;
    Data data = agreed(call, call.where() == Where.SHARED || staged, false);
    return told(
        () -> {
          long start = place(call, data.bytes(), true);
          FileAccess through = file.through(view).at(start);
          long moved = data.bytes();
          if (!call.write()) {
            moved = through.all().read(data.memory());
          } else if (staged) {
            External32.writeAll(rank, file, view, start, data);
          } else {
            through.all().write(data.memory());
          }
          return arrived(call, start, data, moved);
        });
  }

  /** All ranks together, nonblocking; only the places of the shared pointer are waited for. */
  Request startAll(Call call) throws MpiFileException {
    checkAllowed(call);
    Data data = agreed(call, call.where() == Where.SHARED, true);
    return told(
        () -> {
          long start = place(call, data.bytes(), true);
          FileAccess through = file.through(view).at(start);
          CompletableFuture<Long> moved =
              call.write()
                  ? through.all().writeAsync(source(data))
                  : swapped(data, through.all().readAsync(data.memory()));
          moveOn(call, start, data);
          return new Request(moved);
        });
  }

  /**
   * Comes to a collective call. What the ranks say is compared on the group's channel, but the
   * plain data accesses meet on the file's, without saying anything before. So this meets there
   * first, taking nothing: ranks that mix the two fail there, instead of waiting for each other on
   * different channels.
   */
  void reach(String call, @Nullable MpiFileException refusal) throws MpiFileException {
    told(
        () -> {
          file.takeOrdered(0);
          Agreement.reach(rank, file.path() + ": " + call, refusal);
          return 0;
        });
  }

  /** A rank that finds its own part wrong lets the call fail on all, and nothing moves. */
  private Data agreed(Call call, boolean meet, boolean later) throws MpiFileException {
    Data data = null;
    MpiFileException refusal = null;
    try {
      checkNoSplit();
      data = data(call, later);
    } catch (MpiFileException e) {
      refusal = e;
    }
    if (meet) {
      reach((call.write() ? "write " : "read ") + call.where(), refusal);
    }
    if (data == null || refusal != null) {
      throw refuse(call.write(), Objects.requireNonNull(refusal), later);
    }
    return data;
  }

  private MpiFileException refuse(boolean write, MpiFileException why, boolean later) {
    FileAccess refusing = file.all().refusing(new IllegalArgumentException(why.getMessage()));
    try {
      if (later) {
        var _ = write ? refusing.writeAsync(NOTHING) : refusing.readAsync(NOTHING);
      } else if (write) {
        refusing.write(NOTHING);
      } else {
        refusing.read(NOTHING);
      }
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    return why;
  }

  /** Begins a split collective call: one at a time on a file. */
  void begin(String name, Call call) throws MpiFileException {
    Request request = startAll(call);
    split = new Split(name, call.buffer(), request);
  }

  /** Ends it. */
  Status end(String name, MemorySegment buffer) throws MpiFileException {
    checkOpen();
    Split ending = split;
    if (ending == null || !ending.name.equals(name)) {
      throw new MpiFileException(ErrorClass.IO, name + "End without " + name + "Begin");
    }
    if (!ending.buffer.equals(buffer)) {
      throw new MpiFileException(ErrorClass.BUFFER, name + "End with another buffer than Begin");
    }
    split = null;
    return ending.request.waitStatus();
  }
}
