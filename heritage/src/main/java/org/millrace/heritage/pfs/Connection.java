package org.millrace.heritage.pfs;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of PFSLib: its descriptors, its ids, its last error. Descriptors of ordinary
 * files are those of Unix; those of shared files begin behind them.
 *
 * <p>Belongs to the rank's thread.
 */
final class Connection {

  /** What a call does. */
  interface Body {
    long run() throws IOException;
  }

  /** What a call does with a file. */
  interface FileBody {
    long run(PfsFile file) throws IOException;
  }

  /** The descriptors below are those of standard input, output and errors. */
  private static final int FIRST_UNIX = 3;

  // constant after construction
  private final Clients clients;
  private final long clientThreshold;
  private final IoIds ids;

  // owned by the rank's thread
  private final @Nullable PfsFile[] files = new @Nullable PfsFile[Pfs.FIRST_SHARED + Pfs.MAX_FILES];
  private Epfsl errno = Epfsl.NONE;
  private String detail = "";
  private Optional<PfsTrace> trace = Optional.empty();
  private PfsFlags.Stripes stripes = PfsFlags.Stripes.DEFAULT;

  Connection(Clients clients, long clientThreshold) {
    this.clients = clients;
    this.clientThreshold = clientThreshold;
    this.ids = new IoIds(clients.rank());
  }

  Clients clients() {
    return clients;
  }

  IoIds ids() {
    return ids;
  }

  Epfsl errno() {
    return errno;
  }

  String detail() {
    return detail;
  }

  Optional<PfsTrace> trace() {
    return trace;
  }

  void trace(Optional<PfsTrace> newTrace) {
    trace = newTrace;
  }

  /** The flags of an open, checked. */
  PfsFlags flags(int openFlags, int mode) throws PfsException {
    return PfsFlags.of(openFlags, mode, stripes);
  }

  void stripes(PfsFlags.Stripes newStripes) {
    stripes = newStripes;
  }

  /** Whether an asynchronous operation is so small that it is over when it was issued. */
  boolean isSmall(long bytes) {
    return bytes <= clientThreshold;
  }

  /** Carries a call out; whatever goes wrong is a {@link PfsException} and in {@code errno}. */
  long call(Errors.Doing doing, Body body) throws PfsException {
    try {
      return body.run();
    } catch (IOException | RuntimeException e) {
      PfsException failure = Errors.of(doing, e);
      errno = failure.code();
      detail = failure.detail();
      throw failure;
    }
  }

  /** As {@link #call} on a shared file. */
  long onShared(String name, int descriptor, long bytes, FileBody body) throws PfsException {
    return call(Errors.Doing.CALL, () -> traced(name, requireShared(descriptor), bytes, body));
  }

  /** As {@link #call} on a file of either kind. */
  long onAny(String name, int descriptor, FileBody body) throws PfsException {
    boolean shared = descriptor >= Pfs.FIRST_SHARED;
    return call(
        shared ? Errors.Doing.CALL : Errors.Doing.UNIX,
        () -> traced(name, require(descriptor), 0, body));
  }

  private long traced(String name, PfsFile file, long bytes, FileBody body) throws IOException {
    if (trace.isEmpty()) {
      return body.run(file);
    }
    PfsTrace to = trace.get();
    long offset = offset(file);
    long begin = to.now();
    Epfsl error = Epfsl.NONE;
    try {
      return body.run(file);
    } catch (IOException | RuntimeException e) {
      error = Errors.of(Errors.Doing.CALL, e).code();
      throw e;
    } finally {
      to.add(begin, name, offset, bytes, error, file.path());
    }
  }

  /** Whatever keeps the position from being known must not keep the rank from its call. */
  private static long offset(PfsFile file) {
    try {
      return file.position();
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  /** A call in its underscore form: -1 where the plain one throws. */
  static long tried(Body body) {
    try {
      return body.run();
    } catch (PfsException e) {
      return -1;
    } catch (IOException e) {
      throw new IllegalStateException("a call of PFSLib fails with its own errors only", e);
    }
  }

  PfsFile requireShared(int descriptor) throws PfsException {
    if (descriptor < Pfs.FIRST_SHARED || find(descriptor) == null) {
      throw new PfsException(Epfsl.EPFSLBADF, descriptor + " is no descriptor of a shared file");
    }
    return require(descriptor);
  }

  PfsFile requireUnix(int descriptor) throws PfsException {
    if (descriptor >= Pfs.FIRST_SHARED) {
      throw new PfsException(Epfsl.EBADF, descriptor + " is no descriptor of an ordinary file");
    }
    return require(descriptor);
  }

  /** An open file of either kind. */
  PfsFile require(int descriptor) throws PfsException {
    PfsFile file = find(descriptor);
    if (file == null) {
      throw new PfsException(
          descriptor < Pfs.FIRST_SHARED ? Epfsl.EBADF : Epfsl.EPFSLBADF,
          descriptor + " is no open descriptor");
    }
    return file;
  }

  private @Nullable PfsFile find(int descriptor) {
    return descriptor < 0 || descriptor >= files.length ? null : files[descriptor];
  }

  /** A descriptor that nobody has. */
  int requireFree(boolean shared) throws PfsException {
    int last = shared ? files.length : Pfs.FIRST_SHARED;
    for (int descriptor = shared ? Pfs.FIRST_SHARED : FIRST_UNIX; descriptor < last; descriptor++) {
      if (files[descriptor] == null) {
        return descriptor;
      }
    }
    throw new PfsException(shared ? Epfsl.EPFSLMFILE : Epfsl.EMFILE, "all descriptors are in use");
  }

  void put(int descriptor, PfsFile file) {
    files[descriptor] = file;
  }

  void free(int descriptor) {
    files[descriptor] = null;
  }
}
