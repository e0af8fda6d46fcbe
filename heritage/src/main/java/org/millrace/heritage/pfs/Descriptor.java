package org.millrace.heritage.pfs;

import java.io.IOException;

/** What a descriptor stands for. Belongs to the rank's thread. */
sealed interface Descriptor permits PfsFile, OrdinaryFile {

  /** The name for people and traces. */
  String path();

  /** Moves the pointer; returns where it stands then. */
  long seek(long offset, int whence) throws IOException;

  /** Closes it; a shared file stays open if its clients disagree. */
  void close() throws IOException;

  /** Whether the descriptor is to be given to others. */
  boolean isClosed();

  /** Where the pointer stands, without waiting for anybody. */
  long pointer() throws IOException;

  /** What a failure of a call on it is. */
  PfsException failure(Page page, Throwable e);
}
