package org.millrace.disk;

/**
 * Used and free space of a disk.
 *
 * @param storedBytes how long its files are together; holes count
 * @param freeBytes free space; 0 if unknown
 * @param totalBytes the disk's capacity, for all users; 0 if unknown
 */
public record DiskSpace(long storedBytes, long freeBytes, long totalBytes) {

  /** Unknown. */
  public static final DiskSpace UNKNOWN = new DiskSpace(0, 0, 0);
}
