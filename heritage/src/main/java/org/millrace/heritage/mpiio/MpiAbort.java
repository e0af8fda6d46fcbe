package org.millrace.heritage.mpiio;

/**
 * The end of a rank whose file has the error handler MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT: no
 * exception that a program catches by mistake. The other ranks fail with {@link
 * ErrorClass#PROC_FAILED} where they need it.
 */
public final class MpiAbort extends Error {

  private static final long serialVersionUID = 1;

  MpiAbort(MpiFileException cause) {
    super(cause.getMessage(), cause);
  }
}
