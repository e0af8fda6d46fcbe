package org.millrace.access;

/** Which index of an array runs fastest through its storage. */
public enum Order {
  /** The last index runs fastest, as in C and Java. */
  ROW_MAJOR,
  /** The first index runs fastest, as in Fortran. */
  COLUMN_MAJOR
}
