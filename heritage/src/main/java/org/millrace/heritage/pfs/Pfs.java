package org.millrace.heritage.pfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.launch.Launched;

/**
 * A process's connection to PFSLib, made by {@link #pfslib_init}: the calls of Intel's PFS by their
 * names.
 *
 * <p>The manual gives most calls two forms: the plain one ends the process if it fails, the one
 * with an underscore returns -1 and sets {@code errno}. Here the plain one throws {@link
 * PfsException}. {@code open}, {@code close} and {@code lseek}, which hide Unix's own, return -1 in
 * their plain form; so they do here.
 *
 * <p>Always synchronizing are {@code gopen} and {@code setiomode}; {@code close} in all modes but
 * M_UNIX and M_ASYNC; {@code lseek} in M_SYNC, M_RECORD and M_GLOBAL; reading and writing in M_SYNC
 * and M_GLOBAL. If clients do not make the same call there, with the same arguments where these
 * must be equal, all of them get EPFSLMIXIO, nothing has moved, and the next correct call works.
 *
 * <p>Nulls are errors like others: EPFSLINVAL, and clients that wait for this one hear of them.
 *
 * <p>Belongs to the rank's thread. Closing leaves the group of the clients, and the server if
 * {@link #pfslib_init(String, int, int)} has connected to it; files must be closed before.
 */
@SuppressWarnings("MemberName") // as the manual has them
public final class Pfs extends PfsTransfers implements AutoCloseable {

  /** For reading. */
  public static final int O_RDONLY = 0;

  /** For writing. */
  public static final int O_WRONLY = 1;

  /** For reading and writing. */
  public static final int O_RDWR = 2;

  /** Makes the file if there is none. */
  public static final int O_CREAT = 0100;

  /** With O_CREAT: fails if there is one. */
  public static final int O_EXCL = 0200;

  /** Cuts the file to nothing. */
  public static final int O_TRUNC = 01000;

  /** Writes go to the end of the file; in M_RECORD to an end that each process has of its own. */
  public static final int O_APPEND = 02000;

  /** Refused. */
  public static final int O_NDELAY = 04000;

  /** From the begin of the file. */
  public static final int SEEK_SET = 0;

  /** From the pointer. */
  public static final int SEEK_CUR = 1;

  /** From the end of the file. */
  public static final int SEEK_END = 2;

  /** To the greater of the size and the offset. */
  public static final int SIZE_SET = 0;

  /** To the greater of the size and the pointer plus the offset. */
  public static final int SIZE_CUR = 1;

  /** To the greater of the size and the size plus the offset. */
  public static final int SIZE_END = 2;

  /** Asynchronous operations of a process at once. */
  public static final int MAX_IO_IDS = 20;

  /** Shared files of a process at once; the manual gives no number. */
  public static final int MAX_FILES = 256;

  /** Bytes of one operation: what the manual's {@code unsigned int} holds. */
  public static final long MAX_IO_BYTES = 0xffff_ffffL;

  /** Descriptors below are those of ordinary files, of which a process has as many at most. */
  static final int FIRST_SHARED = 256;

  private static final List<IoMode> MODES = List.of(IoMode.values());

  private final Connection connection;
  private final Opening opening;
  private final @Nullable Launched process;

  private Pfs(Connection connection, @Nullable Launched process) {
    super(connection);
    this.connection = connection;
    this.opening = new Opening(connection);
    this.process = process;
  }

  /**
   * Begins as process {@code myNumber} of {@code numberOfClients} that were started in whatever
   * way: each connects to the server by itself, and they find each other there. Returns when all
   * have come, which the original did not wait for.
   *
   * @param pfsdHostName where {@code pfsd} is: its directory or its address
   * @throws PfsException EPFSLINVAL if the numbers cannot be, EPFSLREMOTE if not all come in time
   */
  public static Pfs pfslib_init(String pfsdHostName, int numberOfClients, int myNumber)
      throws PfsException {
    return pfslib_init(pfsdHostName, numberOfClients, myNumber, PfsProcess.ofThisProcess());
  }

  /** As {@link #pfslib_init(String, int, int)}, with options. */
  public static Pfs pfslib_init(
      String pfsdHostName, int numberOfClients, int myNumber, PfsProcess options)
      throws PfsException {
    Launched process = options.join(pfsdHostName, numberOfClients, myNumber);
    Clients clients = Clients.ofInit(process.rank(), numberOfClients, myNumber);
    return new Pfs(new Connection(clients, 0), process);
  }

  /** Begins as process {@code rank.number()} of {@code rank.size()}: what Intel's PFS knew. */
  public static Pfs pfslib_init(Rank rank) throws PfsException {
    return pfslib_init(rank, "", rank.size(), rank.number());
  }

  /**
   * Begins: every process calls it before any other call. It does not synchronize.
   *
   * @param rank which is connected to the cluster already
   * @param pfsdHostName ignored for that reason
   * @param numberOfClients as many processes open files together
   * @param myNumber which of them this one is, from 0
   * @throws PfsException EPFSLINVAL if that cannot be; the original ended the process
   */
  public static Pfs pfslib_init(Rank rank, String pfsdHostName, int numberOfClients, int myNumber)
      throws PfsException {
    return _pfslib_init(rank, pfsdHostName, numberOfClients, myNumber, 0, 0);
  }

  /**
   * As {@link #pfslib_init(Rank, String, int, int)}, with thresholds.
   *
   * @param serverThreshold checked and ignored: the layout says which node serves a request
   * @param clientThreshold asynchronous operations of at most so many bytes are over when they were
   *     issued, except in M_SYNC and M_GLOBAL, where they have to wait for others
   */
  public static Pfs _pfslib_init(
      Rank rank,
      String pfsdHostName,
      int numberOfClients,
      int myNumber,
      long serverThreshold,
      long clientThreshold)
      throws PfsException {
    if (serverThreshold < 0 || clientThreshold < 0) {
      throw new PfsException(
          Epfsl.EPFSLINVAL, "thresholds of %s and %s".formatted(serverThreshold, clientThreshold));
    }
    return new Pfs(
        new Connection(Clients.ofInit(rank, numberOfClients, myNumber), clientThreshold), null);
  }

  /** The name by which the server knows a shared file that was opened by {@code fileName}. */
  public static String nameAtServer(String fileName) {
    return FileName.fromRoot(fileName);
  }

  /** Why the last call that failed did so; NONE if none has. */
  public Epfsl errno() {
    return connection.errno();
  }

  /** Prints to standard error what {@link #pfslib_strerror} says. */
  public void pfslib_perror(String string) {
    System.err.println(pfslib_strerror(string));
  }

  /** The string, a colon, and what {@code errno} means; the server's own words if it failed. */
  public String pfslib_strerror(String string) {
    String text = string + ": " + errno().text();
    return connection.detail().isEmpty() ? text : text + ": " + connection.detail();
  }

  /**
   * Opens a file and returns its descriptor, or -1. Not synchronizing.
   *
   * <p>A name with {@code ###} in it (three hashes or more) is an ordinary file of this process,
   * with its number in their place, three digits at least; else one with {@code pfs} in it is a
   * shared file, in M_UNIX until {@code setiomode}; any other is an ordinary file. An ordinary file
   * is one of this host, found from the working directory: {@link #read}, {@link #write}, {@code
   * lseek} and {@code close} are its calls.
   *
   * <p>Clients that open a shared file which another client has open join that one: nothing is
   * made, cut or checked again. A client that has joined opens anew.
   */
  public int open(String fileName, int openFlags, int mode) {
    return (int)
        Connection.tried(
            () ->
                connection.opening(
                    "open", Page.OPEN, fileName, () -> opening.opened(fileName, openFlags, mode)));
  }

  /**
   * Opens a shared file for clients of its own number, which may be some of the program's ranks:
   * those that give the same name find each other, and the others need not call anything.
   *
   * @param numberOfClients as many
   * @param myNumber which of them this one is
   * @param globalFlag whether it synchronizes them; only then the mode has effect
   */
  public int _pfslib_open(
      String fileName,
      int openFlags,
      int mode,
      IoMode ioMode,
      int numberOfClients,
      int myNumber,
      boolean globalFlag) {
    return (int)
        Connection.tried(
            () ->
                connection.opening(
                    "_pfslib_open",
                    Page.OPEN,
                    fileName,
                    () -> {
                      Clients clients =
                          Clients.ofOpen(connection.clients().rank(), numberOfClients, myNumber);
                      return globalFlag
                          ? opening.together(clients, fileName, openFlags, mode, ioMode)
                          : opening.apart(clients, fileName, openFlags, mode);
                    }));
  }

  /**
   * Opens a shared file, whatever its name, for all clients in a mode, and returns its descriptor.
   * Synchronizing: all must give the same arguments. The manual names no error for other ones; it
   * is EPFSLREMOTE, and {@link #pfslib_perror} tells who gave what.
   */
  public int gopen(String fileName, int openFlags, IoMode ioMode, int mode) throws PfsException {
    return connection.opening(
        "gopen",
        Page.GOPEN,
        fileName,
        () -> opening.together(connection.clients(), fileName, openFlags, mode, ioMode));
  }

  /** As {@link #gopen}; -1 if it fails. */
  public int _gopen(String fileName, int openFlags, IoMode ioMode, int mode) {
    return (int) Connection.tried(() -> gopen(fileName, openFlags, ioMode, mode));
  }

  /**
   * Closes a file of either kind: 0, or -1 if it fails. It first waits for the process's own
   * asynchronous operations, whose ids can still be asked. Where the mode synchronizes it and the
   * clients disagree it stays open.
   */
  public int close(int fileDescriptor) {
    return (int)
        Connection.tried(
            () ->
                connection.onAny(
                    "close",
                    Page.CLOSE,
                    fileDescriptor,
                    file -> {
                      try {
                        file.close();
                      } finally {
                        if (file.isClosed()) {
                          connection.free(fileDescriptor);
                        }
                      }
                      return 0;
                    }));
  }

  /** Unix's own, for ordinary files: bytes read, 0 at the end of the file, -1 if it fails. */
  public long read(int fileDescriptor, MemorySegment buffer) {
    return plain(fileDescriptor, false, buffer);
  }

  /** Unix's own, for ordinary files: bytes written, or -1. */
  public long write(int fileDescriptor, MemorySegment buffer) {
    return plain(fileDescriptor, true, buffer);
  }

  private long plain(int fileDescriptor, boolean write, MemorySegment buffer) {
    return Connection.tried(
        () -> {
          OrdinaryFile file = connection.requireOrdinary(fileDescriptor);
          return connection.onAny(
              write ? "write" : "read",
              write ? Page.CWRITE : Page.CREAD,
              fileDescriptor,
              _ -> write ? file.write(buffer) : file.read(buffer));
        });
  }

  /**
   * Moves the pointer and returns where it is then, or -1. Synchronizing in M_SYNC, M_RECORD and
   * M_GLOBAL, where all must ask for the same position.
   */
  public long lseek(int fileDescriptor, long offset, int whence) {
    return _eseek(fileDescriptor, offset, whence);
  }

  /** As {@link #lseek}, which in C had too few bits for large files; throws if it fails. */
  public long eseek(int fileDescriptor, long offset, int whence) throws PfsException {
    return connection.onAny("lseek", Page.LSEEK, fileDescriptor, file -> file.seek(offset, whence));
  }

  /** As {@link #eseek}; -1 if it fails. */
  public long _eseek(int fileDescriptor, long offset, int whence) {
    return Connection.tried(() -> eseek(fileDescriptor, offset, whence));
  }

  /**
   * Makes the file longer, never shorter, and returns its size. Not synchronizing. What is new
   * reads as zero.
   */
  public long lsize(int fileDescriptor, long offset, int whence) throws PfsException {
    return connection.onShared(
        "lsize", Page.LSIZE, fileDescriptor, 0, file -> Places.size(file, offset, whence));
  }

  /** As {@link #lsize}; -1 if it fails. */
  public long _lsize(int fileDescriptor, long offset, int whence) {
    return Connection.tried(() -> lsize(fileDescriptor, offset, whence));
  }

  /** As {@link #lsize}, which in C had too few bits for large files. */
  public long esize(int fileDescriptor, long offset, int whence) throws PfsException {
    return lsize(fileDescriptor, offset, whence);
  }

  /** As {@link #_lsize}. */
  public long _esize(int fileDescriptor, long offset, int whence) {
    return _lsize(fileDescriptor, offset, whence);
  }

  /**
   * 1 if the pointer is at the end of the file, else 0. Waits for the process's own asynchronous
   * operations on the file. In M_RECORD the pointer is that of the row, the same for all clients; a
   * row that the end of the file cuts is the last for all of them.
   */
  public long iseof(int fileDescriptor) throws PfsException {
    return connection.onShared(
        "iseof",
        Page.ISEOF,
        fileDescriptor,
        0,
        file -> {
          connection.ids().awaitAll(file);
          return file.position() >= file.size() ? 1 : 0;
        });
  }

  /** As {@link #iseof}; -1 if it fails. */
  public long _iseof(int fileDescriptor) {
    return Connection.tried(() -> iseof(fileDescriptor));
  }

  /**
   * Changes the mode. Synchronizing: all clients must ask for the same. All pointers then stand
   * where client 0's stood. Asynchronous operations that were issued before keep the places they
   * took, and none of them is paired with one that is issued later. Clients that have opened the
   * file by {@link #open} may have given different flags and permissions, but either all that write
   * gave O_APPEND or none; else it is EPFSLMIXIO.
   */
  public void setiomode(int fileDescriptor, IoMode ioMode) throws PfsException {
    connection.onShared(
        "setiomode",
        Page.SETIOMODE,
        fileDescriptor,
        0,
        file -> {
          file.setMode(ioMode);
          connection.changed(file);
          return 0;
        });
  }

  /** As {@link #setiomode}; 0, or -1 if it fails. The manual's is void and yet returns -1. */
  public long _setiomode(int fileDescriptor, IoMode ioMode) {
    return Connection.tried(
        () -> {
          setiomode(fileDescriptor, ioMode);
          return 0;
        });
  }

  /** The mode of a shared file. */
  public IoMode iomode(int fileDescriptor) throws PfsException {
    return MODES.get((int) mode(fileDescriptor));
  }

  /** The mode's number, from 0 for M_UNIX in the order of {@link IoMode}; -1 if it fails. */
  public long _iomode(int fileDescriptor) {
    return Connection.tried(() -> mode(fileDescriptor));
  }

  private long mode(int fileDescriptor) throws PfsException {
    return connection.onShared(
        "iomode", Page.IOMODE, fileDescriptor, 0, file -> MODES.indexOf(file.mode()));
  }

  /**
   * How files are distributed that this process makes from now on, which PFS left to the
   * administrator and PFSLib to its future: bytes that go to one I/O daemon before the next one's
   * turn, and the number of daemons; 0 leaves it to the cluster. All clients must say the same
   * before they open together. Any distribution is read and written by the same calls.
   */
  public void distribute(long stripeUnitBytes, int daemons) {
    connection.stripes(new PfsFlags.Stripes(stripeUnitBytes, daemons));
  }

  /**
   * Begins to record the calls of all ranks in one new file; see {@link PfsTrace}. Synchronizing.
   */
  public void traceTo(String path) throws IOException {
    connection.trace(Optional.of(PfsTrace.begin(connection.clients().rank(), path)));
  }

  /** Ends to record; throws if something could not be recorded. Synchronizing. */
  public void traceEnd() throws IOException {
    Optional<PfsTrace> trace = connection.trace();
    connection.trace(Optional.empty());
    if (trace.isPresent()) {
      trace.get().end();
    }
  }

  /** Leaves the other clients. Not synchronizing. */
  @Override
  public void close() throws IOException {
    try (Launched _ = process) {
      connection.clients().end();
    }
  }
}
