package org.millrace.heritage.pfs;

/**
 * What {@code errno} may be after a call of PFSLib failed: its own codes and those of Unix that it
 * passes on. Where the condition of old cannot come any more, the nearest one that can is named.
 */
public enum Epfsl {
  /** No call has failed yet. */
  NONE("No error"),
  /**
   * Not allowed: the cluster refuses this process, or a node refuses this user the file. The
   * original compared user ids with each request.
   */
  EPFSLAUTH("PFSLib: Incorrect authentication"),
  /** Not a descriptor of a shared file. */
  EPFSLBADF("PFSLib: Bad file number"),
  /** The server knows the open file no more: it was reset, or the server was started anew. */
  EPFSLBADFH("PFSLib: Bad file handle"),
  /** No asynchronous operation has this id, or its id was freed. */
  EPFSLBADID("PFSLib: Bad I/O id"),
  /**
   * An asynchronous operation failed on the client's side, such as one whose memory was closed
   * under it. There are no child processes any more.
   */
  EPFSLCHLDEXIT("PFSLib: Asynchronous I/O process terminated unsuccessfully"),
  /**
   * An asynchronous operation was ended from outside: a rank that it needed ended, or its time was
   * over, or the connection was lost. There are no child processes to get signals any more.
   */
  EPFSLCHLDSIG("PFSLib: Asynchronous I/O process terminated by signal"),
  /** An argument that cannot be. */
  EPFSLINVAL("PFSLib: Invalid argument"),
  /** More bytes in one operation than {@link Pfs#MAX_IO_BYTES}. */
  EPFSLIOLEN("PFSLib: Too large I/O operation"),
  /** No more than {@link Pfs#MAX_FILES} shared files at once. */
  EPFSLMFILE("PFSLib: Too many open files"),
  /** Processes made different synchronizing calls, or the same one with different arguments. */
  EPFSLMIXIO("PFSLib: Mixed file operations"),
  /** All {@link Pfs#MAX_IO_IDS} ids are in use. */
  EPFSLMREQUEST("PFSLib: Too many outstanding requests"),
  /** Fewer bytes than wanted: the file ended, or the disk was full. */
  EPFSLNBYTES("PFSLib: Read or written too few data"),
  /** {@code O_NDELAY} is refused. */
  EPFSLNDELAY("PFSLib: O_NDELAY is not supported"),
  /** A node that has part of the file is not there. */
  EPFSLNOIOD("PFSLib: Could not get an I/O daemon"),
  /** The server failed; {@link Pfs#pfslib_perror} tells its own words. */
  EPFSLREMOTE("PFSLib: An error occurred on the server side"),
  /** Unix: no such file. */
  ENOENT("No such file or directory"),
  /** Unix: bad descriptor, or not opened for this direction. */
  EBADF("Bad file number"),
  /** Unix: permission denied. */
  EACCES("Permission denied"),
  /** Unix: the file exists. */
  EEXIST("File exists"),
  /** Unix: a directory. */
  EISDIR("Is a directory"),
  /** Unix: an argument that cannot be. */
  EINVAL("Invalid argument"),
  /** Unix: too many open files. */
  EMFILE("Too many open files"),
  /** Unix: no room on the disk. */
  ENOSPC("No space left on device"),
  /** Unix: a name or path that is too long. */
  ENAMETOOLONG("File name too long"),
  /** Unix: anything else. */
  EIO("I/O error");

  private final String text;

  Epfsl(String text) {
    this.text = text;
  }

  /** What {@link Pfs#pfslib_perror} prints for it. */
  public String text() {
    return text;
  }
}
