package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Converts values between a program's memory and a file, one way (MPI_Datarep_conversion_function).
 * What MPI hands over as extra state is what a lambda captures. It may be called by any thread, and
 * several times for one access.
 */
@FunctionalInterface
public interface DatarepConversion {

  /**
   * Converts {@code items} values, which lie one behind the other in {@code filebuf}, and in memory
   * as the datatype says, tiled.
   *
   * @param userbuf the program's buffer, not the place of the first value
   * @param datatype what the program gave in its call
   * @param items how many basic values
   * @param filebuf the values as they lie in the file, no more and no fewer
   * @param position number of the first value, counted from the begin of the program's buffer in
   *     the order of the datatype; {@link Datatype#displacement} tells where it lies
   */
  void convert(
      MemorySegment userbuf, Datatype datatype, long items, MemorySegment filebuf, long position)
      throws IOException;
}
