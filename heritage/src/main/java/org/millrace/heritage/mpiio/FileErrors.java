package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.heritage.mpiio.Handle.Act;

/**
 * Where all calls of a file come by: what goes wrong in them is told in MPI's terms, to the file's
 * error handler first, and then thrown.
 *
 * <p>Belongs to the rank's thread.
 */
final class FileErrors {

  private Errhandler errhandler;
  private @Nullable File file;

  FileErrors(Errhandler errhandler) {
    this.errhandler = errhandler;
  }

  /** From now on errors are this file's. */
  void belongTo(File opened) {
    file = opened;
  }

  Errhandler errhandler() {
    return errhandler;
  }

  void set(Errhandler newErrhandler) {
    errhandler = newErrhandler;
  }

  /** Carries out a call of the program. */
  <T> T call(Act<T> act) throws MpiFileException {
    try {
      return act.run();
    } catch (IOException | RuntimeException e) {
      throw raise(MpiFileException.of(e));
    }
  }

  /** Lets the handler hear of an error; returns it, to be thrown. */
  MpiFileException raise(MpiFileException error) {
    errhandler.onError(file, error);
    return error;
  }
}
