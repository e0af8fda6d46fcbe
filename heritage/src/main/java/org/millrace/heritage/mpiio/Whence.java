package org.millrace.heritage.mpiio;

/** From where a seek counts. */
public enum Whence {
  /** From the begin of the view. */
  SEEK_SET,
  /** From where the pointer stands. */
  SEEK_CUR,
  /** From the end of the file, as the view sees it: the first etype that lies wholly beyond it. */
  SEEK_END
}
