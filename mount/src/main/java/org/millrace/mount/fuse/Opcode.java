package org.millrace.mount.fuse;

import org.jspecify.annotations.Nullable;

/** What the kernel asks for. Numbers are those of the protocol. */
public enum Opcode {
  /** A name in a directory. */
  LOOKUP(1),
  /** The kernel does not remember a node any more; no reply. */
  FORGET(2),
  /** Attributes. */
  GETATTR(3),
  /** Change of attributes. */
  SETATTR(4),
  /** The target of a link. */
  READLINK(5),
  /** A new link. */
  SYMLINK(6),
  /** A new file of any kind. */
  MKNOD(8),
  /** A new directory. */
  MKDIR(9),
  /** Removal of a name. */
  UNLINK(10),
  /** Removal of a directory. */
  RMDIR(11),
  /** Change of a name. */
  RENAME(12),
  /** Another name. */
  LINK(13),
  /** Opening of a file. */
  OPEN(14),
  /** Bytes of a file. */
  READ(15),
  /** Bytes for a file. */
  WRITE(16),
  /** Room. */
  STATFS(17),
  /** End of an open file. */
  RELEASE(18),
  /** Durability of a file. */
  FSYNC(20),
  /** An extended attribute to set. */
  SETXATTR(21),
  /** An extended attribute. */
  GETXATTR(22),
  /** The names of extended attributes. */
  LISTXATTR(23),
  /** Removal of an extended attribute. */
  REMOVEXATTR(24),
  /** A descriptor of an open file was closed. */
  FLUSH(25),
  /** The first request: version and flags. */
  INIT(26),
  /** Opening of a directory. */
  OPENDIR(27),
  /** Names in a directory. */
  READDIR(28),
  /** End of an open directory. */
  RELEASEDIR(29),
  /** Durability of a directory. */
  FSYNCDIR(30),
  /** Question for a lock in the way. */
  GETLK(31),
  /** A lock, without waiting. */
  SETLK(32),
  /** A lock, with waiting. */
  SETLKW(33),
  /** Question for a permission. */
  ACCESS(34),
  /** A new file, opened. */
  CREATE(35),
  /** A request is not waited for any more. */
  INTERRUPT(36),
  /** Where a block is on a device. */
  BMAP(37),
  /** The last request. */
  DESTROY(38),
  /** A call that only some file systems know. */
  IOCTL(39),
  /** Waiting for a file to be ready. */
  POLL(40),
  /** Reply to a notification. */
  NOTIFY_REPLY(41),
  /** Several of FORGET. */
  BATCH_FORGET(42),
  /** Room for a range. */
  FALLOCATE(43),
  /** Names in a directory, with attributes. */
  READDIRPLUS(44),
  /** Change of a name, with flags. */
  RENAME2(45),
  /** Where data or a hole begins. */
  LSEEK(46),
  /** A copy from file to file. */
  COPY_FILE_RANGE(47),
  /** Mapping of a window of memory. */
  SETUPMAPPING(48),
  /** The reverse. */
  REMOVEMAPPING(49),
  /** Durability of everything. */
  SYNCFS(50),
  /** A new file without a name. */
  TMPFILE(51);

  private static final @Nullable Opcode[] BY_NUMBER = byNumber();

  private final int number;

  Opcode(int number) {
    this.number = number;
  }

  /** Its number in the protocol. */
  public int number() {
    return number;
  }

  /** The operation of a number; null if this version does not know it. */
  public static @Nullable Opcode of(int number) {
    return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }

  private static @Nullable Opcode[] byNumber() {
    @Nullable Opcode[] table = new Opcode[TMPFILE.number + 1];
    for (Opcode opcode : values()) {
      table[opcode.number] = opcode;
    }
    return table;
  }
}
