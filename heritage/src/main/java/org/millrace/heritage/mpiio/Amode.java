package org.millrace.heritage.mpiio;

import org.millrace.client.OpenOptions;

/**
 * The flags of an access mode, MPI_MODE_..., to be added or or-ed.
 *
 * <p>Stateless.
 */
public final class Amode {

  /** Makes the file if there is none. */
  public static final int CREATE = 1;

  /** For reading only. */
  public static final int RDONLY = 2;

  /** For writing only. */
  public static final int WRONLY = 4;

  /** For reading and writing. */
  public static final int RDWR = 8;

  /** Deletes the file when it is closed. */
  public static final int DELETE_ON_CLOSE = 16;

  /** A promise that nobody else opens the file; nothing is made of it here. */
  public static final int UNIQUE_OPEN = 32;

  /** With {@link #CREATE}: fails if the file exists. Means nothing without it. */
  public static final int EXCL = 64;

  /** All pointers start at the end of the file. They may be moved elsewhere. */
  public static final int APPEND = 128;

  /** Only the shared pointer's calls, which go through the file once. */
  public static final int SEQUENTIAL = 256;

  private static final int ALL = 511;

  private Amode() {}

  static boolean has(int amode, int flag) {
    return (amode & flag) != 0;
  }

  /** Checks that the flags go together. */
  static void check(int amode) throws MpiFileException {
    int direction = amode & (RDONLY | WRONLY | RDWR);
    if (Integer.bitCount(direction) != 1) {
      throw wrong("needs one of RDONLY, WRONLY and RDWR", amode);
    }
    if (direction == RDONLY && has(amode, CREATE | EXCL)) {
      throw wrong("RDONLY does not go with CREATE or EXCL", amode);
    }
    if (direction == RDWR && has(amode, SEQUENTIAL)) {
      throw wrong("RDWR does not go with SEQUENTIAL", amode);
    }
    if ((amode & ~ALL) != 0) {
      throw wrong("has unknown flags", amode);
    }
  }

  private static MpiFileException wrong(String why, int amode) {
    return new MpiFileException(ErrorClass.AMODE, "access mode " + amode + " " + why);
  }

  /** The same in Millrace's terms; pointers at the end are set after opening. */
  static OpenOptions options(int amode) {
    OpenOptions options =
        has(amode, RDONLY)
            ? OpenOptions.read()
            : has(amode, WRONLY) ? OpenOptions.write() : OpenOptions.readWrite();
    if (has(amode, CREATE)) {
      options = options.withCreate();
      options = has(amode, EXCL) ? options.withExclusive() : options;
    }
    return has(amode, DELETE_ON_CLOSE) ? options.withDeleteOnClose() : options;
  }
}
