package org.millrace.heritage.mpiio;

import java.util.Arrays;
import java.util.Optional;

/** MPI's error classes, as far as files have them. */
public enum ErrorClass {
  /** Permission denied, or reading what was opened for writing only. */
  ACCESS(20),
  /** Access mode with flags that do not go together. */
  AMODE(21),
  /** An argument that is wrong in some other way. */
  ARG(12),
  /** A name that no file can have: a directory, a path with empty names, a name too long. */
  BAD_FILE(22),
  /** Memory too small, or not fit for the call. */
  BUFFER(1),
  /** A conversion function of a registered data representation failed. */
  CONVERSION(23),
  /** A count that is negative or too large. */
  COUNT(2),
  /** A data representation of this name is there already. */
  DUP_DATAREP(24),
  /** A file handle that is closed. */
  FILE(27),
  /** The file is there already. */
  FILE_EXISTS(25),
  /** The file is open, so that it cannot be deleted. */
  FILE_IN_USE(26),
  /** An info object that was freed. */
  INFO(28),
  /** A key of an info object that is empty or too long. */
  INFO_KEY(29),
  /** An info object has no such key. */
  INFO_NOKEY(31),
  /** A hint with a value that it cannot have. */
  INFO_VALUE(30),
  /** Input or output failed; also illegal views, and calls that break the rules of split ones. */
  IO(32),
  /** Ranks gave different arguments where they must give the same, or made different calls. */
  NOT_SAME(35),
  /** The disk is full. */
  NO_SPACE(36),
  /** There is no such file. */
  NO_SUCH_FILE(37),
  /** Anything else. */
  OTHER(15),
  /** A rank died or threw while the others needed it. */
  PROC_FAILED(71),
  /** Writing what was opened for reading only. */
  READ_ONLY(40),
  /** A request that cannot be used like this. */
  REQUEST(19),
  /** A datatype that cannot be used like this. */
  TYPE(3),
  /** A data representation that is not known. */
  UNSUPPORTED_DATAREP(43),
  /** A call that the access mode rules out, as seeking a sequential file. */
  UNSUPPORTED_OPERATION(44);

  private final int number;

  ErrorClass(int number) {
    this.number = number;
  }

  /** The number by which other ranks learn of it; never 0. */
  int number() {
    return number;
  }

  /** The class of a number. */
  static Optional<ErrorClass> of(int number) {
    return Arrays.stream(values()).filter(one -> one.number == number).findFirst();
  }

  /** As MPI spells it. */
  @Override
  public String toString() {
    return "MPI_ERR_" + name();
  }
}
