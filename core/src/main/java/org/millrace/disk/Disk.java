package org.millrace.disk;

import java.io.IOException;
import java.util.List;

/**
 * One place to keep named files: a directory of a real disk, memory, or either of them behind
 * injected faults.
 *
 * <p>For users: names are plain (letters, digits, {@code . _ -}), never paths, and are made from
 * ids, not from what a user typed. A created, renamed or deleted name is durable only after {@link
 * #force()}. Closing a disk closes its files.
 *
 * <p>For implementers: every failure is a {@link org.millrace.error.MillraceException} of code
 * DISK, DISK_FULL or CLOSED whose message names the disk and the file. All methods may be called
 * from any thread.
 */
public interface Disk extends AutoCloseable {

  /** What this disk is called in messages. */
  String name();

  /** Opens an existing file. Fails with NO_SUCH_NAME if there is none. */
  DiskFile open(String file) throws IOException;

  /** Makes a new, empty file. Fails with NAME_EXISTS if there is one. */
  DiskFile create(String file) throws IOException;

  /** Whether there is a file of this name. */
  boolean exists(String file) throws IOException;

  /** Removes the file if it exists. */
  void delete(String file) throws IOException;

  /**
   * Gives {@code from} the name {@code to}, replacing what had that name, in one step even if the
   * machine fails. Where the file is open it goes on under its new name.
   */
  void rename(String from, String to) throws IOException;

  /** The names of all files, sorted. */
  List<String> list() throws IOException;

  /** Returns after all names created, renamed and deleted so far are durable. */
  void force() throws IOException;

  /** How full it is; takes as long as going through all its names. */
  default DiskSpace space() throws IOException {
    return DiskSpace.UNKNOWN;
  }

  /** Closes the disk and its files. Idempotent. */
  @Override
  void close() throws IOException;
}
