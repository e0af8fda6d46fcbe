package org.millrace.mount.system;

/** Error numbers of Linux that are used here. */
public enum Errno {
  /** Operation not permitted. */
  EPERM(1),
  /** No such file or directory. */
  ENOENT(2),
  /** Interrupted. */
  EINTR(4),
  /** Input or output error. */
  EIO(5),
  /** No such address: nothing there to seek to. */
  ENXIO(6),
  /** Bad descriptor. */
  EBADF(9),
  /** Try again. */
  EAGAIN(11),
  /** Permission denied. */
  EACCES(13),
  /** Busy. */
  EBUSY(16),
  /** File exists. */
  EEXIST(17),
  /** No such device: the mount is gone. */
  ENODEV(19),
  /** Not a directory. */
  ENOTDIR(20),
  /** Is a directory. */
  EISDIR(21),
  /** Invalid argument. */
  EINVAL(22),
  /** File too large. */
  EFBIG(27),
  /** No space left. */
  ENOSPC(28),
  /** Too many names. */
  EMLINK(31),
  /** Result too large for the caller's buffer. */
  ERANGE(34),
  /** Deadlock. */
  EDEADLK(35),
  /** Name too long. */
  ENAMETOOLONG(36),
  /** No such call. */
  ENOSYS(38),
  /** Directory not empty. */
  ENOTEMPTY(39),
  /** Too many symbolic links. */
  ELOOP(40),
  /** No such attribute. */
  ENODATA(61),
  /** Protocol error. */
  EPROTO(71),
  /** Text that is no valid text. */
  EILSEQ(84),
  /** Not supported. */
  EOPNOTSUPP(95),
  /** Not connected: a mount point whose server is dead. */
  ENOTCONN(107),
  /** Timed out. */
  ETIMEDOUT(110),
  /** Connection refused. */
  ECONNREFUSED(111),
  /** A file that is gone. */
  ESTALE(116);

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  /** Its number. */
  public int number() {
    return number;
  }
}
