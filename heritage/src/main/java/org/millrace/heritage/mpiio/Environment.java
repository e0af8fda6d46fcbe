package org.millrace.heritage.mpiio;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;

/**
 * What MPI keeps in a process: the data representations that were registered, and the error handler
 * of files that are not open yet (MPI_FILE_NULL's), which hears of errors at opening and deleting
 * and is given to files that are opened. Ranks may share a process here, so each has its own.
 *
 * <p>Belongs to the rank's thread.
 */
public final class Environment {

  /** How many characters the name of a representation may have (MPI_MAX_DATAREP_STRING). */
  public static final int MAX_DATAREP = 128;

  private final Map<String, Datarep> datareps = new TreeMap<>();
  private Errhandler errhandler = Errhandler.ERRORS_RETURN;

  /** With the representations that MPI defines, and MPI_ERRORS_RETURN. */
  public Environment() {
    for (Datarep known : new Datarep[] {Datareps.NATIVE, Datareps.INTERNAL, Datareps.EXTERNAL32}) {
      datareps.put(known.name(), known);
    }
  }

  /**
   * MPI_Register_datarep: makes a representation known by a name. Not collective, but all ranks
   * that set a view with it must have registered it.
   *
   * @param read converts what was read; null (MPI_CONVERSION_FN_NULL) if values lie in the file as
   *     in memory
   * @param write converts what is to be written; null as well
   * @param extent how long basic types are in the file
   */
  @SuppressWarnings("exports") // an annotation that only compilers read
  public void registerDatarep(
      String name,
      @Nullable DatarepConversion read,
      @Nullable DatarepConversion write,
      DatarepExtent extent)
      throws MpiFileException {
    errors()
        .call(
            () -> {
              if (name.isEmpty() || name.length() > MAX_DATAREP) {
                throw new MpiFileException(
                    ErrorClass.ARG,
                    "a data representation's name has %s characters, must have 1 to %s"
                        .formatted(name.length(), MAX_DATAREP));
              }
              var fresh = new RegisteredDatarep(name, read, write, extent);
              if (datareps.putIfAbsent(name, fresh) != null) {
                throw new MpiFileException(
                    ErrorClass.DUP_DATAREP, "data representation '%s' exists".formatted(name));
              }
              return fresh;
            });
  }

  Datarep datarep(String name) throws MpiFileException {
    Datarep known = datareps.get(name);
    if (known == null) {
      throw new MpiFileException(
          ErrorClass.UNSUPPORTED_DATAREP,
          "data representation '%s' is none of %s".formatted(name, datareps.keySet()));
    }
    return known;
  }

  /** MPI_File_set_errhandler of MPI_FILE_NULL: for opening and deleting, and for new files. */
  public void setErrhandler(Errhandler newErrhandler) {
    errhandler = newErrhandler;
  }

  /** MPI_File_get_errhandler of MPI_FILE_NULL. */
  public Errhandler getErrhandler() {
    return errhandler;
  }

  FileErrors errors() {
    return new FileErrors(errhandler);
  }

  /**
   * MPI_File_open. Collective: all ranks must give the same name, mode and hints.
   *
   * @param amode flags of {@link Amode}
   * @param info hints
   */
  public File open(Rank comm, String filename, int amode, Info info) throws MpiFileException {
    return FileOpening.open(this, comm, filename, amode, info);
  }

  /** MPI_File_delete. Not collective. A file that is open cannot be deleted. */
  public void delete(Rank comm, String filename, Info info) throws MpiFileException {
    FileOpening.delete(this, comm, filename, info);
  }
}
