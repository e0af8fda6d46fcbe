package org.millrace.heritage.mpiio;

import org.jspecify.annotations.Nullable;

/**
 * What is done about an error of a file before the call throws it. A program's own handler is a
 * lambda (MPI_File_create_errhandler); it may look, count, print, or throw something unchecked.
 */
@FunctionalInterface
public interface Errhandler {

  /** Nothing: the call throws. Files have it from the start. */
  Errhandler ERRORS_RETURN = (_, _) -> {};

  /** Ends the rank. */
  Errhandler ERRORS_ARE_FATAL =
      (_, error) -> {
        throw new MpiAbort(error);
      };

  /** Ends the rank; what MPI distinguishes, which others end with it, is the same here. */
  Errhandler ERRORS_ABORT = ERRORS_ARE_FATAL;

  /**
   * Hears of an error.
   *
   * @param file the file; null where there is none: at opening and deleting
   */
  @SuppressWarnings("exports") // an annotation that only compilers read
  void onError(@Nullable File file, MpiFileException error);
}
