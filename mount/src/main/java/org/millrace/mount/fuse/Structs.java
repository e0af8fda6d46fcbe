package org.millrace.mount.fuse;

/**
 * Where the fields of the protocol's structures are, in bytes from their beginning. All numbers are
 * in the byte order of the machine; every structure is a multiple of 8 bytes long. A request is an
 * {@link In} header, one structure and, for some, names that end with a zero byte, or bytes. A
 * reply is an {@link Out} header and one structure, or bytes.
 *
 * <pre>
 *  request                                      reply
 *  | In 40 | structure | name 0 | name 0 |      | Out 16 | structure or bytes |
 *
 *  In    0 length u4   4 opcode u4   8 unique u8   16 node u8   24 uid u4   28 gid u4   32 pid u4   36 extensions u2
 *  Out   0 length u4   4 -errno i4   8 unique u8
 * </pre>
 *
 * <p>Fields that are not read or written here have no constant; in a reply they are zero.
 */
public final class Structs {

  private Structs() {}

  /** The header of a request. */
  public static final class In {
    /** Bytes of the whole request, u4. */
    public static final int LENGTH = 0;

    /** What is asked, u4. */
    public static final int OPCODE = 4;

    /** Number of the request, u8. */
    public static final int UNIQUE = 8;

    /** Node that it is about, u8. */
    public static final int NODE = 16;

    /** User that asks, u4. */
    public static final int UID = 24;

    /** Group that asks, u4. */
    public static final int GID = 28;

    /** Process that asks, u4. */
    public static final int PID = 32;

    /** Size. */
    public static final int BYTES = 40;

    private In() {}
  }

  /** The header of a reply. With unique 0, of a notification: the error is its number then. */
  public static final class Out {
    /** Bytes of the whole reply, u4. */
    public static final int LENGTH = 0;

    /** Negative error number, i4. */
    public static final int ERROR = 4;

    /** Number of the request, u8. */
    public static final int UNIQUE = 8;

    /** Size. */
    public static final int BYTES = 16;

    private Out() {}
  }

  /** INIT, both ways. */
  public static final class Init {
    /** Version, u4. */
    public static final int MAJOR = 0;

    /** Version, u4. */
    public static final int MINOR = 4;

    /** Bytes read ahead, u4. */
    public static final int MAX_READAHEAD = 8;

    /** The lower half of the flags, u4. */
    public static final int FLAGS = 12;

    /** Request: the upper half of the flags, u4; only with the flag INIT_EXT. */
    public static final int IN_FLAGS2 = 16;

    /** Reply: requests in the background, u2. */
    public static final int MAX_BACKGROUND = 16;

    /** Reply: background requests at which the kernel calls it crowded, u2. */
    public static final int CONGESTION = 18;

    /** Reply: bytes of a WRITE, u4. */
    public static final int MAX_WRITE = 20;

    /** Reply: nanoseconds that times are kept in, u4. */
    public static final int TIME_GRANULARITY = 24;

    /** Reply: pages of a request, u2; only with the flag MAX_PAGES. */
    public static final int MAX_PAGES = 28;

    /** Reply: the upper half of the flags, u4. */
    public static final int OUT_FLAGS2 = 32;

    /** Size of the reply. */
    public static final int OUT_BYTES = 64;

    private Init() {}
  }

  /** Attributes, as part of replies. */
  public static final class Attr {
    /** Number shown to programs, u8. */
    public static final int INO = 0;

    /** Bytes, u8. */
    public static final int SIZE = 8;

    /** Bytes in units of 512, u8. */
    public static final int BLOCKS = 16;

    /** Seconds, i8. */
    public static final int ATIME = 24;

    /** Seconds, i8. */
    public static final int MTIME = 32;

    /** Seconds, i8. */
    public static final int CTIME = 40;

    /** Nanoseconds, u4. */
    public static final int ATIME_NANOS = 48;

    /** Nanoseconds, u4. */
    public static final int MTIME_NANOS = 52;

    /** Nanoseconds, u4. */
    public static final int CTIME_NANOS = 56;

    /** Kind and permissions, u4. */
    public static final int MODE = 60;

    /** Names, u4. */
    public static final int LINKS = 64;

    /** Owner, u4. */
    public static final int UID = 68;

    /** Group, u4. */
    public static final int GID = 72;

    /** Device, u4. */
    public static final int DEVICE = 76;

    /** Preferred size of transfers, u4. */
    public static final int BLOCK_BYTES = 80;

    /** Size. */
    public static final int BYTES = 88;

    private Attr() {}
  }

  /** Reply with a node: LOOKUP, MKNOD, MKDIR, SYMLINK, LINK, CREATE, and in READDIRPLUS. */
  public static final class Entry {
    /** The node, u8. */
    public static final int NODE = 0;

    /** Seconds for which the name may be kept, u8. */
    public static final int NAME_SECONDS = 16;

    /** Seconds for which the attributes may be kept, u8. */
    public static final int ATTR_SECONDS = 24;

    /** Nanoseconds to add, u4. */
    public static final int NAME_NANOS = 32;

    /** Nanoseconds to add, u4. */
    public static final int ATTR_NANOS = 36;

    /** An {@link Attr}. */
    public static final int ATTR = 40;

    /** Size. */
    public static final int BYTES = ATTR + Attr.BYTES;

    private Entry() {}
  }

  /** Reply to GETATTR and SETATTR. */
  public static final class AttrOut {
    /** Seconds for which the attributes may be kept, u8. */
    public static final int SECONDS = 0;

    /** Nanoseconds to add, u4. */
    public static final int NANOS = 8;

    /** An {@link Attr}. */
    public static final int ATTR = 16;

    /** Size. */
    public static final int BYTES = ATTR + Attr.BYTES;

    private AttrOut() {}
  }

  /** GETATTR. */
  public static final class GetAttr {
    /** Whether there is a handle, bit 0 of u4. */
    public static final int FLAGS = 0;

    /** The handle, u8. */
    public static final int HANDLE = 8;

    private GetAttr() {}
  }

  /** SETATTR. */
  public static final class SetAttr {
    /** Which fields are set, u4; see {@link Flags}. */
    public static final int VALID = 0;

    /** The handle, u8. */
    public static final int HANDLE = 8;

    /** Bytes, u8. */
    public static final int SIZE = 16;

    /** Seconds, i8. */
    public static final int ATIME = 32;

    /** Seconds, i8. */
    public static final int MTIME = 40;

    /** Nanoseconds, u4. */
    public static final int ATIME_NANOS = 56;

    /** Nanoseconds, u4. */
    public static final int MTIME_NANOS = 60;

    /** Permissions, u4. */
    public static final int MODE = 68;

    /** Owner, u4. */
    public static final int UID = 76;

    /** Group, u4. */
    public static final int GID = 80;

    /** Size. */
    public static final int BYTES = 88;

    private SetAttr() {}
  }

  /** MKNOD; the name follows. */
  public static final class Mknod {
    /** Kind and permissions, u4. */
    public static final int MODE = 0;

    /** Device, u4. */
    public static final int DEVICE = 4;

    /** Size. */
    public static final int BYTES = 16;

    private Mknod() {}
  }

  /** MKDIR; the name follows. */
  public static final class Mkdir {
    /** Permissions, u4. */
    public static final int MODE = 0;

    /** Size. */
    public static final int BYTES = 8;

    private Mkdir() {}
  }

  /** RENAME and RENAME2; the old and the new name follow. */
  public static final class Rename {
    /** The node of the new directory, u8. */
    public static final int DIRECTORY = 0;

    /** Size in RENAME. */
    public static final int BYTES = 8;

    /** In RENAME2: what to do with a file of the new name, u4. */
    public static final int FLAGS = 8;

    /** Size in RENAME2. */
    public static final int BYTES2 = 16;

    private Rename() {}
  }

  /** LINK; the new name follows. */
  public static final class Link {
    /** The node that gets another name, u8. */
    public static final int NODE = 0;

    /** Size. */
    public static final int BYTES = 8;

    private Link() {}
  }

  /** OPEN and OPENDIR. */
  public static final class Open {
    /** As in open(2), u4. */
    public static final int FLAGS = 0;

    /** Whether mode bits that give rights are to be cleared, bit 0 of u4. */
    public static final int KILL = 4;

    private Open() {}
  }

  /** CREATE; the name follows. */
  public static final class Create {
    /** As in open(2), u4. */
    public static final int FLAGS = 0;

    /** Permissions, u4. */
    public static final int MODE = 4;

    /** Whether mode bits that give rights are to be cleared, bit 0 of u4. */
    public static final int KILL = 12;

    /** Size. */
    public static final int BYTES = 16;

    private Create() {}
  }

  /** Reply to OPEN and OPENDIR, and behind an {@link Entry} to CREATE. */
  public static final class OpenOut {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** How the kernel treats it, u4; see {@link Flags}. */
    public static final int FLAGS = 8;

    /** Size. */
    public static final int BYTES = 16;

    private OpenOut() {}
  }

  /** RELEASE and RELEASEDIR. */
  public static final class Release {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Whether the lock of flock(2) goes, bit 1 of u4. */
    public static final int FLAGS = 12;

    /** Owner of that lock, u8. */
    public static final int OWNER = 16;

    private Release() {}
  }

  /** FLUSH. */
  public static final class Flush {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Owner of locks that go, u8. */
    public static final int OWNER = 16;

    private Flush() {}
  }

  /** READ, READDIR, READDIRPLUS and WRITE, whose bytes follow. */
  public static final class Transfer {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Where, u8; of a directory, the cookie of the entry before. */
    public static final int POSITION = 8;

    /** How many bytes, u4. */
    public static final int SIZE = 16;

    /** How, u4; see {@link Flags}. */
    public static final int HOW = 20;

    /** As in open(2), u4. */
    public static final int FLAGS = 32;

    /** Size. */
    public static final int BYTES = 40;

    private Transfer() {}
  }

  /** Reply to WRITE and COPY_FILE_RANGE. */
  public static final class WriteOut {
    /** How many bytes, u4. */
    public static final int SIZE = 0;

    /** Size. */
    public static final int BYTES = 8;

    private WriteOut() {}
  }

  /** Reply to STATFS. */
  public static final class Statfs {
    /** Blocks, u8. */
    public static final int BLOCKS = 0;

    /** Free blocks, u8. */
    public static final int FREE = 8;

    /** Free blocks for all users, u8. */
    public static final int AVAILABLE = 16;

    /** Files that can be, u8. */
    public static final int FILES = 24;

    /** Files that can still be made, u8. */
    public static final int FILES_FREE = 32;

    /** Preferred size of transfers, u4. */
    public static final int BLOCK_BYTES = 40;

    /** Bytes of a name, u4. */
    public static final int NAME_BYTES = 44;

    /** Bytes of a block, u4. */
    public static final int FRAGMENT_BYTES = 48;

    /** Size. */
    public static final int BYTES = 80;

    private Statfs() {}
  }

  /** FSYNC and FSYNCDIR. */
  public static final class Fsync {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Whether only bytes count, bit 0 of u4. */
    public static final int FLAGS = 8;

    private Fsync() {}
  }

  /** SETXATTR, in its short form; name and value follow. */
  public static final class SetXattr {
    /** Bytes of the value, u4. */
    public static final int SIZE = 0;

    /** Whether it must be new (1) or exist (2), u4. */
    public static final int FLAGS = 4;

    /** Size. */
    public static final int BYTES = 8;

    private SetXattr() {}
  }

  /** GETXATTR, whose name follows, LISTXATTR, and the reply to either if SIZE is 0. */
  public static final class GetXattr {
    /** Room for the answer in bytes, u4; 0 to ask how much is needed. */
    public static final int SIZE = 0;

    /** Size. */
    public static final int BYTES = 8;

    private GetXattr() {}
  }

  /** GETLK, SETLK, SETLKW; the reply to GETLK is the part from START on. */
  public static final class Lock {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Owner, u8. */
    public static final int OWNER = 8;

    /** First byte, u8. */
    public static final int START = 16;

    /** Last byte, u8. */
    public static final int END = 24;

    /** 0 shared, 1 exclusive, 2 none; u4. */
    public static final int TYPE = 32;

    /** Process, u4. */
    public static final int PID = 36;

    /** Whether it is one of flock(2), bit 0 of u4. */
    public static final int FLAGS = 40;

    /** Size of the reply to GETLK. */
    public static final int OUT_BYTES = 24;

    private Lock() {}
  }

  /** FALLOCATE. */
  public static final class Fallocate {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Where, u8. */
    public static final int POSITION = 8;

    /** How many bytes, u8. */
    public static final int SIZE = 16;

    /** How, u4. */
    public static final int MODE = 24;

    private Fallocate() {}
  }

  /** LSEEK; the reply is a position, u8. */
  public static final class Lseek {
    /** The handle, u8. */
    public static final int HANDLE = 0;

    /** Where the search begins, u8. */
    public static final int POSITION = 8;

    /** 3 for data, 4 for a hole; u4. */
    public static final int WHENCE = 16;

    private Lseek() {}
  }

  /** COPY_FILE_RANGE. */
  public static final class CopyRange {
    /** Handle to read, u8. */
    public static final int FROM_HANDLE = 0;

    /** Where to read, u8. */
    public static final int FROM_POSITION = 8;

    /** Handle to write, u8. */
    public static final int TO_HANDLE = 24;

    /** Where to write, u8. */
    public static final int TO_POSITION = 32;

    /** How many bytes, u8. */
    public static final int SIZE = 40;

    private CopyRange() {}
  }

  /** An entry of READDIR, and behind an {@link Entry} of READDIRPLUS; padded to 8 bytes. */
  public static final class Dirent {
    /** Number shown to programs, u8. */
    public static final int INO = 0;

    /** Cookie to go on behind it, u8. */
    public static final int COOKIE = 8;

    /** Bytes of the name, u4. */
    public static final int NAME_BYTES = 16;

    /** Kind, u4. */
    public static final int TYPE = 20;

    /** The name, without an end. */
    public static final int NAME = 24;

    private Dirent() {}
  }

  /** Notification that attributes, and bytes if POSITION is not negative, are out of date. */
  public static final class InvalInode {
    /** The node, u8. */
    public static final int NODE = 0;

    /** From where, i8. */
    public static final int POSITION = 8;

    /** How many, i8. */
    public static final int SIZE = 16;

    /** Size. */
    public static final int BYTES = 24;

    /** Its number, in the place of an error. */
    public static final int CODE = 2;

    private InvalInode() {}
  }
}
