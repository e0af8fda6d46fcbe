package org.millrace.client;

/** What a program may do with a file that it opens, and what opening does to it. */
public enum OpenFlag {
  /** Reading is allowed. */
  READ,
  /** Writing is allowed. */
  WRITE,
  /** Makes the file if there is none. */
  CREATE,
  /** Fails if the file exists; only with {@link #CREATE}. */
  EXCLUSIVE,
  /** Cuts the file to nothing first. */
  TRUNCATE,
  /** Every write at a pointer goes to the end of the file. */
  APPEND,
  /** Removes the file when the group has closed it. */
  DELETE_ON_CLOSE,
  /** Joins another rank that has the file open; see {@link OpenOptions#withJoining}. */
  JOINS,
  /** Ranks keep copies of blocks they have read; see {@link OpenOptions#withDataCache}. */
  DATA_CACHE,
  /** Closing makes nothing durable; see {@link OpenOptions#withUnforcedClose}. */
  UNFORCED_CLOSE
}
