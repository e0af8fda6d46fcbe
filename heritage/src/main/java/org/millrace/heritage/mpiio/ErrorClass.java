package org.millrace.heritage.mpiio;

import java.util.Arrays;
import java.util.Optional;

/** MPI's error classes, as far as files have them. */
public enum ErrorClass {
  /** Permission denied, or reading what was opened for writing only. */
  ACCESS,
  /** Access mode with flags that do not go together. */
  AMODE,
  /** An argument that is wrong in some other way. */
  ARG,
  /** A name that no file can have: a directory, a path without its directory. */
  BAD_FILE,
  /** Memory too small, or not fit for the call. */
  BUFFER,
  /** A count that is negative or too large. */
  COUNT,
  /** A file handle that is closed. */
  FILE,
  /** The file is there already. */
  FILE_EXISTS,
  /** The file is open, so that it cannot be deleted. */
  FILE_IN_USE,
  /** A hint with a value that it cannot have. */
  INFO_VALUE,
  /** Input or output failed; also calls that break the rules of split collectives. */
  IO,
  /** Ranks gave different arguments where they must give the same, or made different calls. */
  NOT_SAME,
  /** The disk is full. */
  NO_SPACE,
  /** There is no such file. */
  NO_SUCH_FILE,
  /** Anything else. */
  OTHER,
  /** A rank died or threw while the others needed it. */
  PROC_FAILED,
  /** Writing what was opened for reading only. */
  READ_ONLY,
  /** A datatype that cannot be used like this. */
  TYPE,
  /** A data representation that is not known. */
  UNSUPPORTED_DATAREP,
  /** A call that the access mode rules out, as seeking a sequential file. */
  UNSUPPORTED_OPERATION;

  /** The class that a message names: how other ranks learn of it. */
  static Optional<ErrorClass> in(String message) {
    return Arrays.stream(values()).filter(one -> message.contains(one + ":")).findFirst();
  }

  /** As MPI spells it. */
  @Override
  public String toString() {
    return "MPI_ERR_" + name();
  }
}
