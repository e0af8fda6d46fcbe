package org.millrace.heritage.edonio;

/** The numbers of UNIX's headers that EDONIO's calls take, as on the Paragon. */
public final class Fcntl {

  /** Open for reading only. */
  public static final int O_RDONLY = 0;

  /** Open for writing only; a file that exists is cut to nothing. */
  public static final int O_WRONLY = 1;

  /** Open for reading and writing. */
  public static final int O_RDWR = 2;

  /** Not supported, as in EDONIO: seek to the end instead. */
  public static final int O_APPEND = 0x8;

  /** Make the file; understood with every open for writing. */
  public static final int O_CREAT = 0x200;

  /** Cut the file to nothing; only with an open for writing. */
  public static final int O_TRUNC = 0x400;

  /** Fail if the file exists; only with an open for writing. */
  public static final int O_EXCL = 0x800;

  /** From the begin of the file. */
  public static final int SEEK_SET = 0;

  /** From the pointer. */
  public static final int SEEK_CUR = 1;

  /** From the end of the file. */
  public static final int SEEK_END = 2;

  private Fcntl() {}
}
