package org.millrace.heritage.pfs;

import java.util.List;
import org.millrace.client.OpenOptions;

/**
 * The flags and permissions of an open, told apart.
 *
 * @param flags as Unix has them
 * @param permissions of a file that is made
 * @param stripes how a file that is made is distributed
 */
record PfsFlags(int flags, int permissions, Stripes stripes) {

  /**
   * How files are distributed over I/O daemons; 0 leaves it to the cluster.
   *
   * @param unitBytes that go to one daemon before the next one's turn
   * @param count of daemons
   */
  record Stripes(long unitBytes, int count) {

    static final Stripes DEFAULT = new Stripes(0, 0);

    Stripes {
      if (unitBytes < 0 || count < 0) {
        throw new IllegalArgumentException(count + " stripes of " + unitBytes + " bytes");
      }
    }
  }

  private static final int ACCESS = 3;

  private static final long READS = 1;
  private static final long WRITES = 2;
  private static final long APPENDS = 4;

  /** Checks what can be checked without the file. */
  static PfsFlags of(int flags, int permissions, Stripes stripes) throws PfsException {
    PfsFlags all = new PfsFlags(flags, permissions, stripes);
    if (all.has(Pfs.O_NDELAY)) {
      throw new PfsException(Epfsl.EPFSLNDELAY, "use iread and iwrite instead");
    }
    if ((flags & ACCESS) == ACCESS) {
      throw new PfsException(Epfsl.EPFSLINVAL, "neither O_RDONLY nor O_WRONLY nor O_RDWR");
    }
    return all;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  boolean reads() {
    return (flags & ACCESS) != Pfs.O_WRONLY;
  }

  boolean writes() {
    return (flags & ACCESS) != Pfs.O_RDONLY;
  }

  boolean appends() {
    return has(Pfs.O_APPEND) && writes();
  }

  /** Whether an existing file need not be writable for it. */
  boolean onlyReadsIfThere() {
    return !writes() && has(Pfs.O_CREAT) && !has(Pfs.O_EXCL) && !has(Pfs.O_TRUNC);
  }

  /** For the core: makes or cuts the file as they say. */
  OpenOptions options() {
    boolean changes = has(Pfs.O_CREAT) || has(Pfs.O_TRUNC);
    OpenOptions options = direction(reads(), writes() || changes);
    options = options.withPermissions(permissions & 07777);
    if (has(Pfs.O_CREAT)) {
      options = has(Pfs.O_EXCL) ? options.withCreate().withExclusive() : options.withCreate();
    }
    if (has(Pfs.O_TRUNC)) {
      options = options.withTruncate();
    }
    if (stripes.unitBytes > 0) {
      options = options.withStripeUnit(stripes.unitBytes);
    }
    if (stripes.count > 0) {
      options = options.withStrands(stripes.count);
    }
    return appends() ? options.withAppend() : options;
  }

  /** For the core: leaves the file as it is. */
  OpenOptions ofExisting() {
    OpenOptions options = direction(reads(), writes());
    return appends() ? options.withAppend() : options;
  }

  private static OpenOptions direction(boolean reads, boolean writes) {
    return writes ? reads ? OpenOptions.readWrite() : OpenOptions.write() : OpenOptions.read();
  }

  /** What a client does with the file, as a number to tell the others. */
  long use() {
    return (reads() ? READS : 0) | (writes() ? WRITES : 0) | (appends() ? APPENDS : 0);
  }

  /**
   * How clients open a file together that each has open already: who made it, with which
   * permissions and stripes, matters no more.
   *
   * @param uses of all clients
   * @throws PfsException EPFSLMIXIO if some of those who write append and others do not
   */
  static OpenOptions joined(List<Long> uses) throws PfsException {
    boolean reads = false;
    int appenders = 0;
    int writers = 0;
    for (long use : uses) {
      reads |= (use & READS) != 0;
      writers += (use & WRITES) != 0 ? 1 : 0;
      appenders += (use & APPENDS) != 0 ? 1 : 0;
    }
    if (appenders > 0 && appenders < writers) {
      throw new PfsException(
          Epfsl.EPFSLMIXIO,
          "%s of %s clients that write gave O_APPEND".formatted(appenders, writers));
    }
    OpenOptions options = direction(reads, writers > 0);
    return appenders > 0 ? options.withAppend() : options;
  }
}
