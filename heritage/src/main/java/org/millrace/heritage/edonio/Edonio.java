package org.millrace.heritage.edonio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.edonio.Agreement.Call;
import org.millrace.heritage.edonio.EdonioException.Reason;

/**
 * EDONIO as one processor sees it: every processor is a rank, and {@code do_} calls have EDONIO's
 * names. Where the C calls return -1 these throw {@link EdonioException}, whose reason says why;
 * else they return what the C calls do. Collective calls ({@code do_open}, {@code do_close}, {@code
 * do_flush}, {@code do_csize}, {@code do_lsize}, {@code do_preload}, {@code do_gsync}) synchronize,
 * and what is wrong on one rank is thrown on all; the others never wait. A call that throws has
 * moved no pointer and no byte; one whose reason is FAILED has moved no pointer, but may have moved
 * some bytes.
 *
 * <p>A file that EDONIO makes is dealt to the nodes in blocks of 64 KiB, from node 0 on; node p
 * does what processor p did for its blocks. A file that exists keeps the layout it has. The disk
 * cache is the nodes' own and is set for each of them; the data cache is the rank's.
 *
 * <p>What the manual warns of does not happen here: gaps read as zeros, {@code SEEK_END} is always
 * right, nobody need call {@code do_check}, and offsets end at 2^63-1 rather than 16 TB. A program
 * that ends without {@code do_close} loses nothing that was flushed, and not what was merely
 * written either, as long as the nodes live on; {@link #close} says which files were left open.
 *
 * <p>Belongs to the rank's thread. Closing closes no file: it complains about those left open.
 */
@SuppressWarnings("MemberName") // EDONIO's own names
public final class Edonio implements AutoCloseable {

  /** Eight pages of 8 KiB. */
  public static final int BLOCK_BYTES = 64 << 10;

  private static final long KILO = 1024;
  private static final long DATA_CACHE_BYTES = 512 * KILO;

  // constant after construction
  private final Rank rank;
  private final boolean wholeFiles;
  private final Agreement agreement;

  // the rank's thread
  private final Descriptors descriptors = new Descriptors();
  private boolean initialized;

  private Edonio(Rank rank, boolean wholeFiles) {
    this.rank = rank;
    this.wholeFiles = wholeFiles;
    this.agreement = new Agreement(rank);
  }

  /** EDONIO for one rank; {@link #do_nio} comes first. */
  public Edonio(Rank rank) {
    this(rank, false);
  }

  /**
   * DONIO for one rank. It is EDONIO with caches that hold all of each open file: opening grows
   * them as needed and reads the file in, and before a file may be written beyond its end, {@link
   * #do_lsize} must have said how long it will be. DONIO's bound of 2 GB is lifted. Caches grow
   * only as far as the nodes have memory for them, and nobody keeps nodes from writing early what
   * they will have to write anyway.
   */
  public static Edonio donio(Rank rank) {
    return new Edonio(rank, true);
  }

  /**
   * Begins to use EDONIO: must be called before all else, by all ranks. Not synchronizing; calling
   * it again is allowed. The disk cache stays as it is, the data cache is 512 KiB; {@link
   * #do_csize} changes both.
   *
   * @param myid must be the rank's number
   * @param nproc must be the number of ranks
   */
  public int do_nio(int myid, int nproc) throws EdonioException {
    if (myid != rank.number() || nproc != rank.size()) {
      throw new EdonioException(
          Reason.NOT_INITIALIZED, "do_nio(%s, %s) on %s".formatted(myid, nproc, rank));
    }
    if (!initialized) {
      rank.setDataCacheBytes(DATA_CACHE_BYTES);
      initialized = true;
    }
    return 0;
  }

  /** Serves requests of others; there are none to serve, because nodes need no help. */
  public int do_check() throws EdonioException {
    checkInitialized("do_check");
    return 0;
  }

  /** Waits until all ranks are here. The manual has it in its program only. */
  public void do_gsync() throws IOException {
    agreement.reach(Call.DO_GSYNC, initializedOrWrong(Call.DO_GSYNC));
  }

  /**
   * Opens a file for all ranks. Open for writing, it is made if there is none; open for writing
   * only, it is cut to nothing if there is one. A path that begins with {@code /} begins at the
   * cluster's root. Collective.
   *
   * @param flags of {@link Fcntl}
   * @param mode permissions, as in chmod, of a file that is made; ignored if the file exists
   * @return a descriptor, the same on all ranks
   */
  public int do_open(String path, int flags, int mode) throws IOException {
    Opening opening = new Opening(flags, mode);
    EdonioException wrong = initializedOrWrong(Call.DO_OPEN);
    if (wrong == null) {
      wrong = path == null ? bad("do_open without a path") : opening.wrong();
    }
    String shown = String.valueOf(path);
    String name = shown.replaceFirst("^/+", "");
    agreement.reach(Call.DO_OPEN, wrong, name, flags);
    try {
      SharedFile file = open(name, opening);
      Descriptor made = new Descriptor(shown, file, opening.reads(), opening.writes());
      if (wholeFiles) {
        takeInOrClose(made);
      }
      return descriptors.add(made);
    } catch (IOException e) {
      throw EdonioException.of("do_open of " + path, e);
    }
  }

  /** The mode is looked at only where there is no file yet: on all ranks or on none. */
  private SharedFile open(String name, Opening opening) throws IOException {
    boolean there = rank.allGather(rank.number() == 0 && exists(name) ? 1 : 0).getFirst() == 1;
    if (there && opening.isExclusive()) {
      throw new EdonioException(Reason.FILE_EXISTS, "do_open of " + name + ", which exists");
    }
    if (there || !opening.writes()) {
      try {
        return rank.open(name, opening.existing());
      } catch (NoSuchNameException e) { // removed since it was looked at; all ranks come here
        if (!opening.writes()) {
          throw e;
        }
      }
    }
    agreement.reach(Call.DO_OPEN, opening.wrongMode(), opening.mode());
    return rank.open(name, opening.making());
  }

  private boolean exists(String name) {
    try {
      return rank.names().stat(name).layout().isPresent();
    } catch (IOException e) {
      return false; // then opening says why
    }
  }

  private static EdonioException bad(String what) {
    return new EdonioException(Reason.BAD_ARGUMENT, what);
  }

  private void takeInOrClose(Descriptor made) throws IOException {
    try {
      descriptors.takeIn(rank, made, made.file.size());
    } catch (IOException e) {
      made.file.close();
      throw e;
    }
  }

  /**
   * Makes the file durable and closes it. Collective. Whatever it throws but for wrong arguments,
   * the file is closed.
   */
  public int do_close(int fd) throws IOException {
    Descriptor one = reach(Call.DO_CLOSE, fd, null);
    descriptors.remove(fd);
    agreement.together(Call.DO_CLOSE, one.file::close);
    return 0;
  }

  /** Makes durable what all ranks have written to the file. Collective. */
  public int do_flush(int fd) throws IOException {
    Descriptor one = reach(Call.DO_FLUSH, fd, null);
    agreement.together(
        Call.DO_FLUSH,
        () -> {
          if (rank.number() == 0) {
            one.file.flush();
          }
        });
    return 0;
  }

  /**
   * Sets the sizes of the caches, in units of 1,024 bytes. Collective. The disk cache is set for
   * each node, for all who use the cluster, and stays when the program ends; less than a block is
   * taken for a block. The data cache is this rank's; less than a block is none.
   *
   * @param dataSize of the read-only data cache; 0 is allowed
   * @param diskSize of the disk cache; 0 is an error
   */
  public int do_csize(long dataSize, long diskSize) throws IOException {
    EdonioException wrong = initializedOrWrong(Call.DO_CSIZE);
    if (wrong == null && (dataSize < 0 || diskSize < 0 || diskSize > Long.MAX_VALUE / KILO)) {
      wrong =
          new EdonioException(
              Reason.BAD_ARGUMENT, "do_csize(%s, %s)".formatted(dataSize, diskSize));
    } else if (wrong == null && diskSize == 0) {
      wrong = new EdonioException(Reason.NO_DISK_CACHE, "do_csize with a disk cache of 0");
    }
    agreement.reach(Call.DO_CSIZE, wrong, dataSize, diskSize);
    try {
      rank.setCacheBytes(Math.max(BLOCK_BYTES, diskSize * KILO));
    } catch (IOException e) {
      throw EdonioException.of("do_csize", e);
    }
    rank.setDataCacheBytes(Math.min(dataSize, Long.MAX_VALUE / KILO) * KILO);
    return 0;
  }

  /**
   * Says how long the file will be, so that room can be taken on the disks; its size stays exact.
   * It is a hint: if the disks have not so much room nothing is taken, and nothing is wrong.
   * Collective. With DONIO it is more: the caches grow to hold a file of this size, which may be
   * written up to there.
   *
   * @return {@code nbytes}
   */
  public long do_lsize(int fd, long nbytes) throws IOException {
    EdonioException wrong =
        nbytes < 0
            ? new EdonioException(Reason.BAD_ARGUMENT, "do_lsize of " + nbytes + " bytes")
            : null;
    Descriptor one = reach(Call.DO_LSIZE, fd, wrong, true, nbytes);
    agreement.together(
        Call.DO_LSIZE,
        () -> {
          one.reserve(nbytes);
          if (wholeFiles) {
            descriptors.takeIn(rank, one, nbytes);
          }
        });
    return nbytes;
  }

  /** As {@link #do_lsize}, which had 32 bits once. */
  public long do_esize(int fd, long nbytes) throws IOException {
    return do_lsize(fd, nbytes);
  }

  /**
   * Fills empty slots of the nodes' caches from the file, from the lowest pointer of all ranks on;
   * what is cached stays. A file open for writing only cannot be read, so nothing is loaded.
   * Collective.
   */
  public void do_preload(int fd) throws IOException {
    Descriptor one = reach(Call.DO_PRELOAD, fd, null);
    if (one.reads) {
      try {
        one.file.preload();
      } catch (IOException e) {
        throw EdonioException.of("do_preload", e);
      }
    }
  }

  /**
   * Moves this rank's pointer and returns where it stands. The end that {@code SEEK_END} counts
   * from is that of all completed writes, flushed or not. Beyond the end is allowed, below 0 is
   * not.
   */
  public long do_lseek(int fd, long offset, int whence) throws IOException {
    Descriptor one = require("do_lseek", fd);
    try {
      long base =
          switch (whence) {
            case Fcntl.SEEK_SET -> 0;
            case Fcntl.SEEK_CUR -> one.file.position();
            case Fcntl.SEEK_END -> one.file.size();
            default ->
                throw new EdonioException(Reason.BAD_ARGUMENT, "do_lseek with whence " + whence);
          };
      if (offset < -base || offset > Long.MAX_VALUE - base) {
        throw new EdonioException(
            Reason.BAD_ARGUMENT, "do_lseek by %s from %s".formatted(offset, base));
      }
      one.file.seek(base + offset);
      return base + offset;
    } catch (IOException e) {
      throw EdonioException.of("do_lseek in " + one.path, e);
    }
  }

  /** As {@link #do_lseek}, which had 32 bits once. */
  public long do_eseek(int fd, long offset, int whence) throws IOException {
    return do_lseek(fd, offset, whence);
  }

  /**
   * Reads {@code nbytes} bytes at the pointer, which moves on, into {@code buf}. If not all of them
   * lie before the end of the file it throws, and {@code buf} is as it was.
   *
   * @return {@code nbytes}
   */
  public long do_read(int fd, MemorySegment buf, long nbytes) throws IOException {
    return read(fd, buf, nbytes);
  }

  private long read(int fd, @Nullable MemorySegment buf, long nbytes) throws IOException {
    Descriptor one = require("do_read", fd);
    if (!one.reads) {
      throw new EdonioException(Reason.WRITE_ONLY, "do_read of " + one.path);
    }
    MemorySegment into = Descriptor.first("do_read", buf, nbytes);
    if (nbytes == 0) {
      return 0;
    }
    try {
      one.checkEnd(nbytes);
      long position = one.file.position();
      if (one.file.read(into) < nbytes) {
        one.file.seek(position);
        throw one.cut(nbytes, position);
      }
      return nbytes;
    } catch (IOException e) {
      throw EdonioException.of("do_read", e);
    }
  }

  /** As {@link #do_read(int, MemorySegment, long)}: fills {@code buf}. */
  public long do_read(int fd, byte[] buf) throws IOException {
    return read(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_read(int, MemorySegment, long)}: fills {@code buf}. */
  public long do_read(int fd, int[] buf) throws IOException {
    return read(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_read(int, MemorySegment, long)}: fills {@code buf}. */
  public long do_read(int fd, double[] buf) throws IOException {
    return read(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_read(int, MemorySegment, long)}: from its position to its limit. */
  public long do_read(int fd, ByteBuffer buf) throws IOException {
    return read(fd, buf == null ? null : MemorySegment.ofBuffer(buf));
  }

  private long read(int fd, @Nullable MemorySegment whole) throws IOException {
    return read(fd, whole, whole == null ? 0 : whole.byteSize());
  }

  /**
   * Writes {@code nbytes} bytes at the pointer, which moves on. Where ranks write the same bytes at
   * the same time, one of them wins. If a disk or node fails, some bytes may have been written; the
   * pointer stands where it stood, so that the call can be made again.
   *
   * @return {@code nbytes}
   */
  public long do_write(int fd, MemorySegment buf, long nbytes) throws IOException {
    return write(fd, buf, nbytes);
  }

  private long write(int fd, @Nullable MemorySegment buf, long nbytes) throws IOException {
    Descriptor one = require("do_write", fd);
    if (!one.writes) {
      throw new EdonioException(Reason.READ_ONLY, "do_write to " + one.path);
    }
    MemorySegment from = Descriptor.first("do_write", buf, nbytes);
    if (nbytes == 0) {
      return 0;
    }
    try {
      long position = one.file.position();
      if (nbytes > Long.MAX_VALUE - position) {
        throw new EdonioException(
            Reason.BAD_ARGUMENT, "do_write of %s bytes at %s".formatted(nbytes, position));
      }
      if (wholeFiles && nbytes > one.sized - position) {
        throw new EdonioException(
            Reason.SIZE_NOT_GIVEN,
            "do_write of %s bytes at %s of %s: do_lsize gave %s"
                .formatted(nbytes, position, one.path, one.sized));
      }
      one.file.at(position).write(from);
      one.file.seek(position + nbytes); // only now: a second try writes to the same place
      return nbytes;
    } catch (IOException e) {
      throw EdonioException.of("do_write", e);
    }
  }

  /** As {@link #do_write(int, MemorySegment, long)}: all of {@code buf}. */
  public long do_write(int fd, byte[] buf) throws IOException {
    return write(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_write(int, MemorySegment, long)}: all of {@code buf}. */
  public long do_write(int fd, int[] buf) throws IOException {
    return write(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_write(int, MemorySegment, long)}: all of {@code buf}. */
  public long do_write(int fd, double[] buf) throws IOException {
    return write(fd, buf == null ? null : MemorySegment.ofArray(buf));
  }

  /** As {@link #do_write(int, MemorySegment, long)}: from its position to its limit. */
  public long do_write(int fd, ByteBuffer buf) throws IOException {
    return write(fd, buf == null ? null : MemorySegment.ofBuffer(buf));
  }

  private long write(int fd, @Nullable MemorySegment whole) throws IOException {
    return write(fd, whole, whole == null ? 0 : whole.byteSize());
  }

  /**
   * Says which files this rank left open. Not synchronizing, and closes none: that is collective.
   *
   * @throws EdonioException LEFT_OPEN, if there are any
   */
  @Override
  public void close() throws EdonioException {
    List<String> left = descriptors.removeAll();
    if (!left.isEmpty()) {
      throw new EdonioException(
          Reason.LEFT_OPEN,
          rank
              + " ended without do_close of "
              + String.join(", ", left)
              + ": what was flushed is safe; what was only written is, too, unless a node fails");
    }
  }

  private void checkInitialized(String call) throws EdonioException {
    if (!initialized) {
      throw new EdonioException(Reason.NOT_INITIALIZED, call + " before do_nio");
    }
  }

  private @Nullable EdonioException initializedOrWrong(Call call) {
    return initialized
        ? null
        : new EdonioException(Reason.NOT_INITIALIZED, call + " before do_nio");
  }

  private Descriptor require(String call, int fd) throws EdonioException {
    checkInitialized(call);
    return descriptors.require(call, fd);
  }

  private Descriptor reach(Call call, int fd, @Nullable EdonioException wrong) throws IOException {
    return reach(call, fd, wrong, false, 0);
  }

  /** Comes to a collective call on an open file. */
  private Descriptor reach(
      Call call, int fd, @Nullable EdonioException wrong, boolean writes, long argument)
      throws IOException {
    Descriptor one = null;
    EdonioException problem = wrong;
    try {
      one = require(call.toString(), fd);
      if (writes && !one.writes) {
        problem = new EdonioException(Reason.READ_ONLY, call + " of " + one.path);
      }
    } catch (EdonioException e) {
      problem = e;
    }
    agreement.reach(call, problem, fd, argument);
    return Objects.requireNonNull(one);
  }
}
