package org.millrace.heritage.fem;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * What the finite-element program needs of a file that all ranks have open, each with a pointer of
 * its own. The report's program chose between two of these when it was compiled.
 *
 * <p>Belongs to the rank's thread. The opener closes it; all ranks open and close together.
 */
public interface ElementFile {

  /** Which one it is, for people. */
  String name();

  /** Opens for writing a file that is empty then. */
  void wopen() throws IOException;

  /** Closes what was written, which is durable then. */
  void wclose() throws IOException;

  /** Opens what was written, for reading. */
  void ropen() throws IOException;

  /** Lets caches read the file in; nothing where there is no such call. */
  void preload() throws IOException;

  /** Closes what was read. */
  void rclose() throws IOException;

  /** Moves the pointer. */
  void seekTo(long offset) throws IOException;

  /** Moves the pointer on. */
  void seekBy(long delta) throws IOException;

  /** Writes the first {@code bytes} bytes of {@code buffer} at the pointer. */
  void write(MemorySegment buffer, long bytes) throws IOException;

  /** Reads {@code bytes} bytes at the pointer; fewer are an error. */
  void read(MemorySegment buffer, long bytes) throws IOException;
}
