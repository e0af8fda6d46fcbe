package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * A file of MPI-IO, one object for each rank that opened it. Names are those of Open MPI's Java
 * binding, counts and offsets are {@code long}. The data accesses are inherited: each is one of
 * position by synchronism by coordination.
 *
 * <p>A memory is a buffer, a count and a {@link Datatype}; the file is seen through a {@link
 * FileView}, set by {@link #setView}. Neither is ever spelled out. A write that has returned is
 * visible to every later read of any rank, which is more than MPI promises without {@link #sync};
 * accesses that overlap in time are all or nothing only after {@link #setAtomicity}.
 *
 * <p>Open, close, setSize, preallocate, setInfo, setView, seekShared, setAtomicity and sync are
 * collective: they wait for all ranks, and what is wrong on one rank is an error on all, after
 * which the file is as it was.
 *
 * <p>Belongs to the rank's thread. Closing is collective, waits for nonblocking accesses and makes
 * all bytes durable; closing again does nothing.
 */
public final class File extends SharedPointer implements AutoCloseable {

  /** As displacement of a view of a sequential file: where the shared pointer stands. */
  public static final long DISPLACEMENT_CURRENT = -54278278;

  private final Rank rank;
  private final SharedFile file;

  private File(Handle handle) {
    super(handle);
    this.rank = handle.rank;
    this.file = handle.file;
  }

  /**
   * MPI_File_open. Collective: all ranks must give the same name, mode and hints.
   *
   * @param amode flags of {@link Amode}
   * @param info hints
   */
  public static File open(Rank comm, String filename, int amode, Map<String, String> info)
      throws MpiFileException {
    return Handle.told(
        () -> {
          OpenOptions options = OpenOptions.read();
          MpiFileException refusal = null;
          try {
            Amode.check(amode);
            options = FileHints.with(Amode.options(amode), info);
          } catch (MpiFileException e) {
            refusal = e;
          }
          String same = "open %s with mode %d and %s".formatted(filename, amode, options.hints());
          Agreement.reach(comm, same, refusal);
          File opened = new File(new Handle(comm, comm.open(filename, options), amode));
          if (Amode.has(amode, Amode.APPEND)) {
            opened.moveToEnd();
          }
          return opened;
        });
  }

  /** As {@link #open(Rank, String, int, Map)} without hints. */
  public static File open(Rank comm, String filename, int amode) throws MpiFileException {
    return open(comm, filename, amode, Map.of());
  }

  private void moveToEnd() throws IOException {
    long end = rank.allGather(file.size()).getFirst();
    handle.moveTo(end);
    file.seekShared(end);
  }

  /** MPI_File_delete. Not collective. A file that is open cannot be deleted. */
  public static void delete(Rank comm, String filename) throws MpiFileException {
    Handle.told(
        () -> {
          comm.names().remove(filename);
          return 0;
        });
  }

  /**
   * MPI_File_close. The standard leaves accesses that are under way to the program; here
   * nonblocking ones are waited for, and a split collective call that has not ended is an error.
   */
  @Override
  public void close() throws MpiFileException {
    if (file.isClosed()) {
      return;
    }
    together("close", handle::checkNoSplit);
    MpiFileException failure = null;
    try {
      file.closeAll();
    } catch (IOException e) {
      failure = MpiFileException.of(e);
    }
    goOn("close: end", failure); // afterwards nobody has it open any more
  }

  /** MPI_File_set_size: cuts or extends the file. Pointers stay. Collective. */
  public void setSize(long size) throws MpiFileException {
    together("setSize " + size, () -> checkSize("setting the size", size));
    act(() -> file.resize(size));
  }

  /** MPI_File_preallocate: makes the file at least this long, with room for it. Collective. */
  public void preallocate(long size) throws MpiFileException {
    together("preallocate " + size, () -> checkSize("preallocating", size));
    act(() -> file.preallocate(size));
  }

  private void checkSize(String what, long size) throws MpiFileException {
    handle.checkWritable();
    handle.checkNotSequential(what);
    if (size < 0) {
      throw new MpiFileException(ErrorClass.ARG, "size " + size + " is negative");
    }
  }

  /** MPI_File_get_size, in bytes. */
  public long getSize() throws MpiFileException {
    handle.checkOpen();
    return Handle.told(file::size);
  }

  /** MPI_File_get_group: the ranks that opened the file, seen by this one. */
  public Rank getGroup() {
    return rank;
  }

  /** MPI_File_get_amode. */
  public int getAmode() {
    return handle.amode;
  }

  /**
   * MPI_File_set_info: adds hints, from the next collective access on. Hints about striping concern
   * files that are made. Collective: all ranks must give the same.
   */
  public void setInfo(Map<String, String> info) throws MpiFileException {
    Hints hints = null;
    MpiFileException refusal = null;
    try {
      handle.checkOpen();
      hints = FileHints.on(file.hints(), info);
    } catch (MpiFileException e) {
      refusal = e;
    }
    handle.reach("setInfo " + hints, refusal);
    Hints agreed = hints;
    if (agreed != null) {
      act(() -> file.setHints(agreed));
    }
  }

  /** MPI_File_get_info: all hints in use, and how the file is striped. */
  public SortedMap<String, String> getInfo() throws MpiFileException {
    handle.checkOpen();
    return FileHints.of(file);
  }

  /**
   * MPI_File_set_view: what this rank sees of the file; all pointers go to its begin. Each rank may
   * give another displacement and filetype. Collective: the etypes must have the same extent, and
   * the data representation must be the same. Accesses under way keep the view they were issued
   * under.
   *
   * <p>The etype's size must divide the filetype's; that the filetype is really built of etypes is
   * not checked, so that filetypes of ints go with an etype of bytes.
   *
   * @param disp bytes before the first tile, or {@link #DISPLACEMENT_CURRENT}, which sequential
   *     files need and others refuse
   */
  public void setView(
      long disp, Datatype etype, Datatype filetype, String datarep, Map<String, String> info)
      throws MpiFileException {
    setInfo(info);
    setView(disp, etype, filetype, datarep);
  }

  /** As {@link #setView(long, Datatype, Datatype, String, Map)} without hints. */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep)
      throws MpiFileException {
    View seen = View.WHOLE;
    FileView shown = FileView.BYTES;
    MpiFileException refusal = null;
    try {
      handle.checkOpen();
      handle.checkNoSplit();
      Datarep.named(datarep);
      shown = new FileView(displacement(disp), etype, filetype, datarep);
      seen = shown.view(!Amode.has(handle.amode, Amode.RDONLY));
    } catch (MpiFileException e) {
      refusal = e;
    }
    handle.reach(
        "setView of etypes of %d bytes, %s".formatted(etype.getExtent(), datarep), refusal);
    View agreed = seen;
    act(() -> file.setView(agreed));
    handle.show(shown, seen, Datarep.named(datarep));
  }

  private long displacement(long disp) throws MpiFileException {
    if (Amode.has(handle.amode, Amode.SEQUENTIAL) != (disp == DISPLACEMENT_CURRENT)) {
      throw new MpiFileException(
          ErrorClass.ARG, "DISPLACEMENT_CURRENT is for sequential files, and they need it");
    }
    return disp == DISPLACEMENT_CURRENT
        ? Handle.told(() -> handle.view().offsetOf(file.sharedPosition()))
        : disp;
  }

  /** MPI_File_get_view. */
  public FileView getView() throws MpiFileException {
    handle.checkOpen();
    return handle.shown();
  }

  /** MPI_File_seek: moves the rank's own pointer, by etypes. A negative target is an error. */
  public void seek(long offset, Whence whence) throws MpiFileException {
    handle.checkNotSequential("seeking");
    handle.moveTo(target(offset, whence, handle.position()));
  }

  /** MPI_File_get_position: the rank's own pointer, in etypes. */
  public long getPosition() throws MpiFileException {
    handle.checkNotSequential("the individual pointer");
    return handle.position() / etypeBytes();
  }

  /** MPI_File_get_byte_offset: the byte of the file where an offset of the view lies. */
  public long getByteOffset(long offset) throws MpiFileException {
    handle.checkNotSequential("offsets");
    return Handle.told(() -> handle.view().offsetOf(handle.shown().bytes(offset)));
  }

  /**
   * MPI_File_seek_shared: moves the shared pointer. Collective: all ranks must give the same. If it
   * is moved from the outside meanwhile, SEEK_CUR and SEEK_END count from what rank 0 saw.
   */
  public void seekShared(long offset, Whence whence) throws MpiFileException {
    handle.checkNotSequential("seeking");
    together("seekShared " + offset + " " + whence, () -> {});
    long target = -1;
    MpiFileException refusal = null;
    try {
      target = target(offset, whence, Handle.told(file::sharedPosition));
    } catch (MpiFileException e) {
      refusal = e;
    }
    goOn("seekShared", refusal);
    long mine = target;
    act(() -> file.seekShared(rank.allGather(mine).getFirst()));
  }

  /** MPI_File_get_position_shared: the shared pointer, in etypes. */
  public long getPositionShared() throws MpiFileException {
    handle.checkNotSequential("positions");
    return Handle.told(file::sharedPosition) / etypeBytes();
  }

  private long target(long offset, Whence whence, long current) throws MpiFileException {
    long base =
        switch (whence) {
          case SEEK_SET -> 0;
          case SEEK_CUR -> current;
          case SEEK_END ->
              Math.ceilDiv(Handle.told(() -> file.seekToEnd(0)), etypeBytes()) * etypeBytes();
        };
    long target = Handle.told(() -> Math.addExact(base, handle.shown().bytes(offset)));
    if (target < 0) {
      throw new MpiFileException(
          ErrorClass.ARG, "seek to the negative offset " + target / etypeBytes());
    }
    return target;
  }

  private long etypeBytes() {
    return handle.shown().etype().getSize();
  }

  /** MPI_File_get_type_extent: the extent of a type in the file. The same as in memory. */
  public long getTypeExtent(Datatype type) throws MpiFileException {
    handle.checkOpen();
    return type.getExtent();
  }

  /** MPI_File_set_atomicity: whether each access is all or nothing against others. Collective. */
  public void setAtomicity(boolean atomic) throws MpiFileException {
    together("setAtomicity " + atomic, handle::checkOpen);
    act(() -> file.setAtomic(atomic));
  }

  /** MPI_File_get_atomicity. */
  public boolean getAtomicity() throws MpiFileException {
    handle.checkOpen();
    return file.isAtomic();
  }

  /**
   * MPI_File_sync: returns when all that any rank wrote before it called is durable. Collective.
   */
  public void sync() throws MpiFileException {
    together("sync", handle::checkOpen);
    MpiFileException failure = null;
    try {
      file.flushAll();
    } catch (IOException e) {
      failure = MpiFileException.of(e);
    }
    goOn("sync: end", failure);
  }

  private interface Check {
    void run() throws MpiFileException;
  }

  private interface Act {
    void run() throws IOException;
  }

  /** Comes to a collective call; what {@code check} finds wrong fails on all ranks. */
  private void together(String call, Check check) throws MpiFileException {
    MpiFileException refusal = null;
    try {
      check.run();
    } catch (MpiFileException e) {
      refusal = e;
    }
    handle.reach(call, refusal);
  }

  /** Agrees again, in the middle of a call that all ranks have come to. */
  private void goOn(String call, @Nullable MpiFileException refusal) throws MpiFileException {
    act(() -> Agreement.reach(rank, file.path() + ": " + call, refusal));
  }

  private static void act(Act act) throws MpiFileException {
    Handle.told(
        () -> {
          act.run();
          return 0;
        });
  }
}
