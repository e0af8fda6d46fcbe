package org.millrace.mount.fuse;

/** Bits of the protocol's flags, as far as they are used. */
public final class Flags {

  private Flags() {}

  /** Of INIT: what both sides can do. The upper 32 bits travel in a field of their own. */
  public static final class Init {
    /** Several reads of a file at once. */
    public static final long ASYNC_READ = 1L;

    /** Locks of fcntl(2) are asked for here. */
    public static final long POSIX_LOCKS = 1L << 1;

    /** O_TRUNC comes with OPEN. */
    public static final long ATOMIC_TRUNCATE = 1L << 3;

    /** LOOKUP of {@code .} and {@code ..}. */
    public static final long EXPORT = 1L << 4;

    /** Writes of more than a page. */
    public static final long BIG_WRITES = 1L << 5;

    /** Locks of flock(2) are asked for here. */
    public static final long FLOCK_LOCKS = 1L << 10;

    /** Cached pages go when attributes say that the file has changed. */
    public static final long AUTO_INVALIDATE = 1L << 12;

    /** READDIRPLUS. */
    public static final long READDIRPLUS = 1L << 13;

    /** READDIRPLUS only where attributes are likely to be asked for. */
    public static final long READDIRPLUS_AUTO = 1L << 14;

    /** Several requests of one direct read or write at once. */
    public static final long ASYNC_DIRECT = 1L << 15;

    /** Lookups in one directory at once. */
    public static final long PARALLEL_DIRECTORIES = 1L << 18;

    /** The size of requests is said in pages. */
    public static final long MAX_PAGES = 1L << 22;

    /** Targets of links may be kept. */
    public static final long CACHE_LINKS = 1L << 23;

    /** Mode bits that give rights are cleared here, where requests say so. */
    public static final long KILL_RIGHTS = 1L << 28;

    /** Cached pages go when the kernel is told so, whatever attributes say. */
    public static final long TOLD_INVALIDATE = 1L << 25;

    /** There is an upper half. */
    public static final long EXTENDED = 1L << 30;

    /** Files that bypass the page cache may be mapped all the same. */
    public static final long DIRECT_MAPPED = 1L << 36;

    private Init() {}
  }

  /** Of the replies to OPEN and CREATE. */
  public static final class Opened {
    /** No page cache. */
    public static final int DIRECT = 1;

    /** Writes of one file at once. */
    public static final int PARALLEL_WRITES = 1 << 6;

    private Opened() {}
  }

  /** Of SETATTR. */
  public static final class Valid {
    /** Permissions. */
    public static final int MODE = 1;

    /** Owner. */
    public static final int UID = 1 << 1;

    /** Group. */
    public static final int GID = 1 << 2;

    /** Bytes. */
    public static final int SIZE = 1 << 3;

    /** Time of access. */
    public static final int ATIME = 1 << 4;

    /** Time of modification. */
    public static final int MTIME = 1 << 5;

    /** There is a handle. */
    public static final int HANDLE = 1 << 6;

    /** Time of access is now. */
    public static final int ATIME_NOW = 1 << 7;

    /** Time of modification is now. */
    public static final int MTIME_NOW = 1 << 8;

    /** Mode bits that give rights are to be cleared. */
    public static final int KILL = 1 << 11;

    private Valid() {}
  }

  /** Of WRITE. */
  public static final class Write {
    /** From the page cache: the position counts, whatever the flags of the file. */
    public static final int FROM_CACHE = 1;

    /** Mode bits that give rights are to be cleared. */
    public static final int KILL = 1 << 2;

    private Write() {}
  }

  /** As in open(2). */
  public static final class File {
    /** Bits that say reading, writing or both. */
    public static final int ACCESS = 3;

    /** Writing alone. */
    public static final int WRITE = 1;

    /** Reading and writing. */
    public static final int READ_WRITE = 2;

    /** It must be new. */
    public static final int EXCLUSIVE = 0x80;

    /** It is cut to nothing. */
    public static final int TRUNCATE = 0x200;

    /** Writes go to the end. */
    public static final int APPEND = 0x400;

    /** Writes are durable when they return: O_DSYNC, which is also a part of O_SYNC. */
    public static final int SYNC = 0x1000;

    private File() {}
  }
}
