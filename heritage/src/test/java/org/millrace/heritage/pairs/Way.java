package org.millrace.heritage.pairs;

import java.io.IOException;
import org.millrace.client.Rank;

/**
 * One interface's way to put bytes into a file and to get them back, by its own calls alone, with
 * all ranks taking part and with as much of what is its own (views, modes, several pointers) as
 * whole files allow. Any length, also 0; any number of ranks; the file may exist and hold more.
 */
interface Way {

  /** The package. */
  String name();

  /** Makes {@code content} the whole content of the file. Synchronizing; all give the same. */
  void write(Rank rank, String path, byte[] content) throws IOException;

  /** The file's first {@code length} bytes, which is its size, on every rank. Synchronizing. */
  byte[] read(Rank rank, String path, int length) throws IOException;
}
