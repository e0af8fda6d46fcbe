package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.mpiio.Call.Data;
import org.millrace.heritage.mpiio.Call.Where;
import org.millrace.heritage.mpiio.Datarep.Incoming;

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

  /** Something that may be wrong. */
  interface Check {
    void run() throws IOException;
  }

  /** A split collective call between its begin and its end. */
  private record Split(String name, @Nullable Object buffer, Request request) {}

  private static final Memory NOTHING = Memory.of(MemorySegment.ofArray(new byte[0]));

  // constant after construction
  final Rank rank;
  final SharedFile file;
  final int amode;
  private final FileErrors errors;

  // the rank's thread
  private FileView.InUse view = FileView.InUse.BYTES;
  private long position;
  private @Nullable Split split;
  private final List<CompletableFuture<Long>> underWay = new ArrayList<>();

  Handle(Rank rank, SharedFile file, int amode, FileErrors errors) {
    this.rank = rank;
    this.file = file;
    this.amode = amode;
    this.errors = errors;
  }

  FileErrors errors() {
    return errors;
  }

  FileView.InUse view() {
    return view;
  }

  /** The rank's own pointer, in bytes of the view. */
  long position() {
    return position;
  }

  void moveTo(long newPosition) {
    position = newPosition;
  }

  void show(FileView.InUse newView) {
    view = newView;
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

  private void checkNoSplit() throws MpiFileException {
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

  /** An access that is right as far as this rank can tell, its data converted. */
  private record Prepared(Data data, Memory memory, @Nullable Incoming incoming) {

    /** How many bytes of the program's memory so many bytes of the file are. */
    long arrived(long fileBytes) throws IOException {
      return incoming == null ? data.signature().bytes() : incoming.arrived(fileBytes);
    }
  }

  private Prepared prepared(Call call, boolean later) throws IOException {
    Data data = call.data(view.datarep(), later);
    long bytes = data.fileBytes();
    if (bytes % view.etypeBytes() != 0) {
      throw new MpiFileException(
          ErrorClass.IO,
          "%s bytes are no whole number of etypes %s".formatted(bytes, view.shown().etype()));
    }
    if (view.view().isEmpty() && bytes > 0) {
      throw new MpiFileException(ErrorClass.ARG, bytes + " bytes of an empty view");
    }
    if (call.where() != Where.SHARED) {
      long from = call.where() == Where.POINTER ? position : view.bytes(call.offset());
      if (from < 0) {
        throw new MpiFileException(ErrorClass.ARG, "offset " + call.offset() + " is negative");
      }
      new Access(view.view(), from, Math.addExact(from, bytes)); // checks that it reaches so far
    }
    if (call.write()) {
      return new Prepared(data, view.datarep().outgoing(data), null);
    }
    Incoming incoming = view.datarep().incoming(data);
    return new Prepared(data, incoming.memory(), incoming);
  }

  /** Where the access goes, in bytes of the view. */
  private FileAccess place(Call call, Prepared prepared, boolean together) throws IOException {
    long bytes = prepared.data.fileBytes();
    long start =
        switch (call.where()) {
          case OFFSET -> view.bytes(call.offset());
          case POINTER -> position;
          case SHARED -> together ? file.takeOrdered(bytes) : file.takeShared(bytes);
        };
    FileAccess through = file.through(view.view()).at(start);
    return together ? through.all() : through;
  }

  private void moveOn(Call call, Prepared prepared) {
    if (call.where() == Where.POINTER) {
      position += prepared.data.fileBytes();
    }
  }

  /** This rank for itself, blocking. */
  Status run(Call call) throws MpiFileException {
    return errors.call(
        () -> {
          checkAllowed(call);
          Prepared prepared = prepared(call, false);
          return moved(call, prepared, place(call, prepared, false));
        });
  }

  private Status moved(Call call, Prepared prepared, FileAccess through) throws IOException {
    long fileBytes = call.write() ? through.write(prepared.memory) : through.read(prepared.memory);
    long bytes = prepared.arrived(fileBytes);
    moveOn(call, prepared);
    return new Status(bytes);
  }

  /** This rank for itself, nonblocking. */
  Request start(Call call) throws MpiFileException {
    return errors.call(
        () -> {
          checkAllowed(call);
          Prepared prepared = prepared(call, true);
          return begun(call, prepared, place(call, prepared, false), false);
        });
  }

  private Request begun(Call call, Prepared prepared, FileAccess through, boolean together)
      throws IOException {
    CompletableFuture<Long> moved =
        call.write() ? through.writeAsync(prepared.memory) : through.readAsync(prepared.memory);
    CompletableFuture<Long> ended =
        moved.thenApply(
            fileBytes -> {
              try {
                return prepared.arrived(fileBytes);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    moveOn(call, prepared);
    underWay.removeIf(CompletableFuture::isDone);
    underWay.add(ended);
    return new Request(rank, errors, ended, together);
  }

  /** All ranks together, blocking. */
  Status runAll(Call call) throws MpiFileException {
    return errors.call(
        () -> {
          checkAllowed(call);
          Prepared prepared = agreed(call, false);
          return moved(call, prepared, place(call, prepared, true));
        });
  }

  /** All ranks together, nonblocking; only the places of the shared pointer are waited for. */
  Request startAll(Call call) throws MpiFileException {
    return errors.call(
        () -> {
          checkAllowed(call);
          Prepared prepared = agreed(call, true);
          return begun(call, prepared, place(call, prepared, true), true);
        });
  }

  /** Waits for this rank's nonblocking accesses, well ended or not: their requests tell. */
  void settle() {
    for (CompletableFuture<Long> one : underWay) {
      var _ = MpiFileException.refusalOf(() -> rank.await(one));
    }
    underWay.clear();
  }

  /**
   * Comes to a collective call; what {@code check} finds wrong fails on all ranks. While a split
   * call has not ended there is no other.
   *
   * @param call with those arguments that must be the same
   */
  void together(String call, Check check) throws IOException {
    reach(
        call,
        MpiFileException.refusalOf(
            () -> {
              checkNoSplit();
              check.run();
            }));
  }

  /**
   * Comes to a collective call. What the ranks say is compared on the group's channel, but the
   * plain data accesses meet on the file's, without saying anything before. So this meets there
   * first, taking nothing: ranks that mix the two fail there, instead of waiting for each other on
   * different channels.
   */
  private void reach(String call, @Nullable MpiFileException refusal) throws IOException {
    file.takeOrdered(0);
    goOn(call, refusal);
  }

  /** Agrees again, in the middle of a call that all ranks have come to. */
  void goOn(String call, @Nullable MpiFileException refusal) throws IOException {
    Agreement.reach(rank, file.path() + ": " + call, refusal);
  }

  /** A rank that finds its own part wrong lets the call fail on all, and nothing moves. */
  private Prepared agreed(Call call, boolean later) throws IOException {
    Prepared prepared = null;
    MpiFileException refusal = null;
    try {
      checkNoSplit();
      prepared = prepared(call, later);
    } catch (IOException | RuntimeException e) {
      refusal = MpiFileException.of(e);
    }
    if (call.where() == Where.SHARED) { // nobody may take a place before all can go on
      reach((call.write() ? "write " : "read ") + call.where(), refusal);
    }
    if (refusal != null) {
      refuse(call.write(), refusal, later);
      throw refusal;
    }
    return Objects.requireNonNull(prepared);
  }

  private void refuse(boolean write, MpiFileException why, boolean later) {
    FileAccess refusing = file.all().refusing(why.refusal());
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
  }

  /** Begins a split collective call: one at a time on a file. */
  void begin(String name, Call call) throws MpiFileException {
    Request request = startAll(call);
    split = new Split(name, call.buffer(), request);
  }

  /** Ends it. */
  Status end(String name, @Nullable Object buffer) throws MpiFileException {
    return errors
        .call(
            () -> {
              checkOpen();
              Split ending = split;
              if (ending == null || !ending.name.equals(name)) {
                throw new MpiFileException(ErrorClass.IO, name + "End without " + name + "Begin");
              }
              if (!Buffers.isSame(ending.buffer, buffer)) {
                throw new MpiFileException(
                    ErrorClass.BUFFER, name + "End with another buffer than Begin");
              }
              split = null;
              return ending.request;
            })
        .waitStatus();
  }
}
