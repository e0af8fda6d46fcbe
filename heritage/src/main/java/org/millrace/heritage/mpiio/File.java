package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * A file of MPI-IO, one object for each rank that opened it. Names are those of Open MPI's Java
 * binding, counts and offsets are {@code long}. The data accesses are inherited: each is one of
 * position by synchronism by coordination.
 *
 * <p>A memory is a buffer, a count and a {@link Datatype}; the file is seen through a {@link
 * FileView}, set by {@link #setView}. Neither is ever spelled out. A buffer is an array of numbers,
 * a {@link java.nio} buffer from its position to its limit, or a memory segment. A write that has
 * returned is visible to every later read of any rank, which is more than MPI promises without
 * {@link #sync}; accesses that overlap in time are all or nothing only after {@link #setAtomicity}.
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

  // constant after construction
  private final Rank rank;
  private final SharedFile file;
  private final Environment environment;
  private final FileErrors errors;

  // the rank's thread
  private KeptHints kept;

  File(Handle handle, Environment environment, KeptHints kept) {
    super(handle);
    this.rank = handle.rank;
    this.file = handle.file;
    this.environment = environment;
    this.errors = handle.errors();
    this.kept = kept;
    errors.belongTo(this);
  }

  /** As {@link Environment#open}, in an environment of its own. */
  public static File open(Rank comm, String filename, int amode, Info info)
      throws MpiFileException {
    return new Environment().open(comm, filename, amode, info);
  }

  /** As {@link #open(Rank, String, int, Info)} without hints. */
  public static File open(Rank comm, String filename, int amode) throws MpiFileException {
    return open(comm, filename, amode, Info.NULL);
  }

  /** As {@link Environment#delete} without hints. */
  public static void delete(Rank comm, String filename) throws MpiFileException {
    new Environment().delete(comm, filename, Info.NULL);
  }

  /** MPI_File_set_errhandler: who hears of this rank's errors with the file from now on. */
  public void setErrhandler(Errhandler errhandler) {
    errors.set(errhandler);
  }

  /** MPI_File_get_errhandler. */
  public Errhandler getErrhandler() {
    return errors.errhandler();
  }

  /** MPI_File_call_errhandler: lets the handler hear of an error, and returns. */
  public void callErrhandler(ErrorClass errorClass) {
    var _ = errors.raise(new MpiFileException(errorClass, "told by the program"));
  }

  /**
   * MPI_File_close. The standard leaves accesses that are under way to the program; here
   * nonblocking ones are waited for, and a split collective call that has not ended is an error.
   */
  @Override
  public void close() throws MpiFileException {
    if (!file.isClosed()) {
      act(this::closeTogether);
    }
  }

  private void closeTogether() throws IOException {
    MpiFileException failure = MpiFileException.refusalOf(() -> handle.together("close", () -> {}));
    if (failure != null && failure.getErrorClass() != ErrorClass.PROC_FAILED) {
      throw failure;
    }
    MpiFileException unclosed = MpiFileException.refusalOf(file::closeAll);
    if (failure != null) { // others have ended, so nobody waits for this rank
      throw failure;
    }
    handle.goOn("close: end", unclosed); // afterwards nobody has it open any more
  }

  /** MPI_File_set_size: cuts or extends the file. Pointers stay. Collective. */
  public void setSize(long size) throws MpiFileException {
    act(
        () -> {
          handle.settle();
          handle.together("setSize " + size, () -> checkSize("setting the size", size));
          file.resize(size);
        });
  }

  /** MPI_File_preallocate: makes the file at least this long, with room for it. Collective. */
  public void preallocate(long size) throws MpiFileException {
    act(
        () -> {
          handle.together("preallocate " + size, () -> checkSize("preallocating", size));
          file.preallocate(size);
        });
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
    return errors.call(file::size);
  }

  /** MPI_File_get_group: the ranks that opened the file, seen by this one. */
  public Rank getGroup() {
    return rank;
  }

  /** MPI_File_get_amode. */
  public int getAMode() {
    return handle.amode;
  }

  /** What hints a call adds. */
  private record Hinted(Hints hints, KeptHints kept) {

    /** What all ranks must give alike. */
    String same() {
      return hints + " and " + kept.same();
    }
  }

  private Hinted hinted(@Nullable Info info) throws MpiFileException {
    var named = FileHints.map(info);
    return new Hinted(FileHints.on(file.hints(), kept, named), kept.with(named));
  }

  private void use(Hinted hinted) throws IOException {
    if (!hinted.hints.equals(file.hints())) {
      file.setHints(hinted.hints);
    }
    kept = hinted.kept;
  }

  /**
   * MPI_File_set_info: adds hints, from the next collective access on. Hints about striping concern
   * files that are made. Collective: all ranks must give the same.
   */
  public void setInfo(Info info) throws MpiFileException {
    act(
        () -> {
          Agreed<Hinted> agreed = new Agreed<>(() -> hinted(info));
          handle.together("setInfo " + agreed.same(Hinted::same), agreed);
          use(agreed.value());
        });
  }

  /**
   * MPI_File_get_info: all hints in use, those that were set and change nothing as they were set,
   * how the file is striped, and its name.
   */
  public Info getInfo() throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkOpen();
          return FileHints.of(file, kept);
        });
  }

  /** As {@link #setView(long, Datatype, Datatype, String, Info)} without hints. */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep)
      throws MpiFileException {
    setView(disp, etype, filetype, datarep, Info.NULL);
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
   * @param datarep {@code native}, {@code internal}, {@code external32}, or one that was registered
   *     in the environment the file was opened in
   */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep, Info info)
      throws MpiFileException {
    act(
        () -> {
          Agreed<Hinted> hints = new Agreed<>(() -> hinted(info));
          Agreed<FileView.InUse> view = new Agreed<>(() -> view(disp, etype, filetype, datarep));
          String same =
              "setView of %s, %s".formatted(view.same(File::etypeOf), hints.same(Hinted::same));
          handle.together(
              same,
              () -> {
                hints.run();
                view.run();
              });
          FileView.InUse agreed = view.value();
          if (disp == DISPLACEMENT_CURRENT) { // all have come: nobody moves the pointer any more
            Agreed<FileView.InUse> placed = new Agreed<>(() -> moved(agreed));
            handle.goOn("setView: displacement", MpiFileException.refusalOf(placed));
            show(placed.value(), hints.value());
          } else {
            show(agreed, hints.value());
          }
        });
  }

  private void show(FileView.InUse view, Hinted hints) throws IOException {
    file.setView(view.view());
    use(hints);
    handle.show(view);
  }

  /** What must be the same on all ranks of a view: extent in the file, and representation. */
  private static String etypeOf(FileView.InUse view) {
    long extent = view.datarep().inFile(view.shown().etype()).getExtent();
    return "etypes of %s bytes, %s".formatted(extent, view.shown().datarep());
  }

  private FileView.InUse view(
      long disp, @Nullable Datatype etype, @Nullable Datatype filetype, @Nullable String datarep)
      throws MpiFileException {
    if (Amode.has(handle.amode, Amode.SEQUENTIAL) != (disp == DISPLACEMENT_CURRENT)) {
      throw new MpiFileException(
          ErrorClass.ARG, "DISPLACEMENT_CURRENT is for sequential files, and they need it");
    }
    if (etype == null || filetype == null || datarep == null) {
      throw new MpiFileException(
          ErrorClass.ARG, "there is no etype, no filetype or no data representation");
    }
    long start = disp == DISPLACEMENT_CURRENT ? 0 : disp;
    return new FileView(start, etype, filetype, datarep)
        .inUse(environment.datarep(datarep), isWritable());
  }

  private boolean isWritable() {
    return !Amode.has(handle.amode, Amode.RDONLY);
  }

  /** A view from where the shared pointer stands in the one before. */
  private FileView.InUse moved(FileView.InUse next) throws IOException {
    FileView shown = next.shown();
    long start = handle.view().view().offsetOf(file.sharedPosition());
    return new FileView(start, shown.etype(), shown.filetype(), shown.datarep())
        .inUse(next.datarep(), isWritable());
  }

  /** MPI_File_get_view. */
  public FileView getView() throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkOpen();
          return handle.view().shown();
        });
  }

  /** MPI_File_seek: moves the rank's own pointer, by etypes. A negative target is an error. */
  public void seek(long offset, Whence whence) throws MpiFileException {
    act(
        () -> {
          handle.checkNotSequential("seeking");
          handle.moveTo(target(offset, whence, handle.position()));
        });
  }

  /** MPI_File_get_position: the rank's own pointer, in etypes. */
  public long getPosition() throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkNotSequential("the individual pointer");
          return handle.position() / handle.view().etypeBytes();
        });
  }

  /** MPI_File_get_byte_offset: the byte of the file where an offset of the view lies. */
  public long getByteOffset(long offset) throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkNotSequential("offsets");
          return handle.view().view().offsetOf(handle.view().bytes(offset));
        });
  }

  /**
   * MPI_File_seek_shared: moves the shared pointer. Collective: all ranks must give the same. If it
   * is moved from the outside meanwhile, SEEK_CUR and SEEK_END count from what rank 0 saw.
   */
  public void seekShared(long offset, Whence whence) throws MpiFileException {
    act(
        () -> {
          handle.together(
              "seekShared " + offset + " " + whence, () -> handle.checkNotSequential("seeking"));
          Agreed<Long> target = new Agreed<>(() -> target(offset, whence, file.sharedPosition()));
          handle.goOn("seekShared", MpiFileException.refusalOf(target));
          file.seekShared(rank.allGather(target.value()).getFirst());
        });
  }

  /** MPI_File_get_position_shared: the shared pointer, in etypes. */
  public long getPositionShared() throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkNotSequential("positions");
          return file.sharedPosition() / handle.view().etypeBytes();
        });
  }

  private long target(long offset, Whence whence, long current) throws IOException {
    long unit = handle.view().etypeBytes();
    long base =
        switch (whence) {
          case SEEK_SET -> 0;
          case SEEK_CUR -> current;
          case SEEK_END -> Math.ceilDiv(file.seekToEnd(0), unit) * unit;
        };
    long target = Math.addExact(base, handle.view().bytes(offset));
    if (target < 0) {
      throw new MpiFileException(ErrorClass.ARG, "seek to the negative offset " + target / unit);
    }
    return target;
  }

  /** MPI_File_get_type_extent: the extent of a type in the file, as the view represents it. */
  public long getTypeExtent(Datatype type) throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkOpen();
          return handle.view().datarep().inFile(type).getExtent();
        });
  }

  /** MPI_File_set_atomicity: whether each access is all or nothing against others. Collective. */
  public void setAtomicity(boolean atomic) throws MpiFileException {
    act(
        () -> {
          handle.together("setAtomicity " + atomic, () -> {});
          file.setAtomic(atomic);
        });
  }

  /** MPI_File_get_atomicity. */
  public boolean getAtomicity() throws MpiFileException {
    return errors.call(
        () -> {
          handle.checkOpen();
          return file.isAtomic();
        });
  }

  /**
   * MPI_File_sync: returns when all that any rank wrote before it called is durable. Collective.
   */
  public void sync() throws MpiFileException {
    act(
        () -> {
          handle.settle();
          handle.together("sync", () -> {});
          MpiFileException failure = MpiFileException.refusalOf(file::flushAll);
          handle.goOn("sync: end", failure);
        });
  }

  private void act(Handle.Check act) throws MpiFileException {
    errors.call(
        () -> {
          act.run();
          return act;
        });
  }
}
