package org.millrace.heritage.kotz;

/**
 * One of the four types of files: byte or record, plain or multifile. A file keeps the type that it
 * was made with; it can be written only as what it is, and read as anything.
 *
 * <p>Immutable.
 *
 * @param recordBytes bytes of a logical record; 1 makes it a byte file
 * @param subfiles how many subfiles a multifile has; 0 makes it a plain file
 * @param blockRecords records of one subfile of a multifile before the next subfile's turn
 */
public record FileType(int recordBytes, int subfiles, int blockRecords) {

  private static final int BLOCK_BYTES = 4096;

  /** A plain file of bytes: what every file is unless a program asks. */
  public static final FileType BYTES = new FileType(1, 0, 0);

  /** Checks the numbers. */
  public FileType {
    if (recordBytes < 1 || subfiles < 0 || (subfiles > 0) != (blockRecords > 0)) {
      throw new IllegalArgumentException(
          "records of %s bytes, %s subfiles in blocks of %s records"
              .formatted(recordBytes, subfiles, blockRecords));
    }
    if (recordBytes > Integer.MAX_VALUE / Math.max(1, blockRecords)) {
      throw new IllegalArgumentException(
          "blocks of %s records of %s bytes have more than %s bytes"
              .formatted(blockRecords, recordBytes, Integer.MAX_VALUE));
    }
  }

  /** A plain file of records. */
  public static FileType records(int recordBytes) {
    return new FileType(recordBytes, 0, 0);
  }

  /** The same as a multifile, in blocks of about a page. */
  public FileType multifile(int ofSubfiles) {
    return multifile(ofSubfiles, Math.max(1, BLOCK_BYTES / recordBytes));
  }

  /** The same as a multifile, in blocks of so many records. */
  public FileType multifile(int ofSubfiles, int inBlocksOf) {
    if (ofSubfiles < 1) {
      throw new IllegalArgumentException("a multifile of " + ofSubfiles + " subfiles");
    }
    return new FileType(recordBytes, ofSubfiles, inBlocksOf);
  }

  /** Whether it has subfiles. */
  public boolean isMultifile() {
    return subfiles > 0;
  }

  /** Bytes of one subfile before the next one's turn. */
  int blockBytes() {
    return recordBytes * blockRecords;
  }

  @Override
  public String toString() {
    String kind = recordBytes == 1 ? "byte" : "record";
    String records = recordBytes == 1 ? "" : " with records of " + recordBytes + " bytes";
    return isMultifile()
        ? "%s multifile of %s subfiles in blocks of %s bytes%s"
            .formatted(kind, subfiles, blockBytes(), records)
        : kind + " plain file" + records;
  }
}
