package org.millrace.heritage.mpiio;

import java.io.IOException;

/**
 * Tells how many bytes a basic type takes in files of a registered representation
 * (MPI_Datarep_extent_function).
 */
@FunctionalInterface
public interface DatarepExtent {

  /** Bytes of the file for one {@code basic}; at least one. */
  int fileExtent(Datatype basic) throws IOException;
}
