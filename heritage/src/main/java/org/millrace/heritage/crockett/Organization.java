package org.millrace.heritage.crockett;

/** The access patterns: four for sequential parallel files, two for direct access ones. */
public enum Organization {
  /** One process reads or writes the records in their order; here process 0. */
  SEQUENTIAL,
  /** Each process has a contiguous range of blocks and goes through it in order. */
  PARTITIONED,
  /** Process p has blocks p, p + P, p + 2P, ... and goes through them in order. */
  INTERLEAVED,
  /** Each request gets the next record; each record goes to one process. */
  SELF_SCHEDULED,
  /** Any process, any record. */
  GLOBAL_DIRECT,
  /**
   * Any record of the process's own blocks. The text does not say which blocks these are; here they
   * are those of {@link #INTERLEAVED}, which do not depend on the size of the file.
   */
  PARTITIONED_DIRECT;

  boolean isDirect() {
    return this == GLOBAL_DIRECT || this == PARTITIONED_DIRECT;
  }
}
