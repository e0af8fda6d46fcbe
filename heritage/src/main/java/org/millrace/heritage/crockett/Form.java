package org.millrace.heritage.crockett;

/**
 * How a file is made of records. Immutable.
 *
 * @param recordBytes size of each record, the smallest unit of access
 * @param recordsPerBlock records of a block, which is what processes are given
 * @param records how many there are to be in a file that is partitioned while it is written; 0: as
 *     many as the file has when it is opened
 */
public record Form(long recordBytes, long recordsPerBlock, long records) {

  /** Checks that there is something in a record and in a block. */
  public Form {
    if (recordBytes < 1 || recordsPerBlock < 1 || records < 0) {
      throw new IllegalArgumentException(
          "records of %s bytes, %s in a block, %s in all"
              .formatted(recordBytes, recordsPerBlock, records));
    }
    if (recordBytes > Long.MAX_VALUE / Math.max(records, recordsPerBlock)) {
      throw new IllegalArgumentException(
          "%s records of %s bytes reach beyond all positions"
              .formatted(Math.max(records, recordsPerBlock), recordBytes));
    }
  }

  /** Records in blocks, as many as there are. */
  public static Form of(long recordBytes, long recordsPerBlock) {
    return new Form(recordBytes, recordsPerBlock, 0);
  }

  /** The same for a file that is to have so many records. */
  public Form records(long count) {
    return new Form(recordBytes, recordsPerBlock, count);
  }

  long blockBytes() {
    return recordBytes * recordsPerBlock;
  }

  /** Bytes of all records that there are to be; 0 if that is not said. */
  long bytes() {
    return recordBytes * records;
  }
}
