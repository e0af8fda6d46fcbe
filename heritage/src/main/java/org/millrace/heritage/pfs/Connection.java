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

  /** What a call does with a shared file. */
  interface SharedBody {
    long run(PfsFile file) throws IOException;
  }

  /** What a call does with a file of either kind. */
  interface AnyBody {
    long run(Descriptor file) throws IOException;
  }

  /** The descriptors below are those of standard input, output and errors. */
  private static final int FIRST_UNIX = 3;

  // constant after construction
  private final Clients clients;
  private final long clientThreshold;
  private final IoIds ids;
  private final StatusNotes notes;

  // owned by the rank's thread
  private final @Nullable Descriptor[] files =
      new @Nullable Descriptor[Pfs.FIRST_SHARED + Pfs.MAX_FILES];
  private Epfsl errno = Epfsl.NONE;
  private String detail = "";
  private Optional<PfsTrace> trace = Optional.empty();
  private PfsFlags.Stripes stripes = PfsFlags.Stripes.DEFAULT;

  Connection(Clients clients, long clientThreshold) {
    this.clients = clients;
    this.clientThreshold = clientThreshold;
    this.notes = new StatusNotes(clients);
    this.ids = new IoIds(clients.rank(), notes);
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

  /** Notes why a call fails, and returns it. */
  private PfsException noted(PfsException failure) {
    errno = failure.code();
    detail = failure.detail();
    return failure;
  }

  /** Opens a file: the body returns its descriptor. */
  int opening(String name, Page page, @Nullable String path, Body body) throws PfsException {
    long begin = now();
    try {
      long descriptor = body.run();
      traced(begin, name, 0, 0, Epfsl.NONE, String.valueOf(path));
      return (int) descriptor;
    } catch (IOException | RuntimeException e) {
      PfsException failure =
          e instanceof PfsException known && !known.code().name().startsWith("EPFSL")
              ? known // of an ordinary file
              : Errors.ofShared(page, e);
      traced(begin, name, 0, 0, failure.code(), String.valueOf(path));
      throw noted(failure);
    }
  }

  /** Waits for an operation, or asks for it. */
  long onOperation(String name, Page page, long id, Body body) throws PfsException {
    long begin = now();
    String path = ids.path(id);
    long bytes = ids.bytes(id);
    try {
      long result = body.run();
      if (page != Page.IODONE || result == 1) { // one who asks again and again fills no trace
        traced(begin, name, -1, bytes, Epfsl.NONE, path);
      }
      return result;
    } catch (IOException | RuntimeException e) {
      PfsException failure = Errors.ofShared(page, e);
      traced(begin, name, -1, bytes, failure.code(), path);
      throw noted(failure);
    }
  }

  /** A call on a shared file. */
  long onShared(String name, Page page, int descriptor, long bytes, SharedBody body)
      throws PfsException {
    PfsFile file;
    try {
      file = requireShared(descriptor);
    } catch (PfsException e) {
      throw noted(e);
    }
    long result = on(name, page, file, bytes, _ -> body.run(file));
    notes.after(file, ids);
    return result;
  }

  /** A call on a file of either kind. */
  long onAny(String name, Page page, int descriptor, AnyBody body) throws PfsException {
    Descriptor file;
    try {
      file = require(descriptor);
    } catch (PfsException e) {
      throw noted(e);
    }
    return on(name, page, file, 0, body);
  }

  private long on(String name, Page page, Descriptor file, long bytes, AnyBody body)
      throws PfsException {
    long offset = trace.isEmpty() ? 0 : offset(file);
    long begin = now();
    try {
      long result = body.run(file);
      traced(begin, name, offset, bytes, Epfsl.NONE, file.path());
      return result;
    } catch (IOException | RuntimeException e) {
      PfsException failure = file.failure(page, e);
      traced(begin, name, offset, bytes, failure.code(), file.path());
      throw noted(failure);
    }
  }

  private long now() {
    return trace.isEmpty() ? 0 : trace.get().now();
  }

  private void traced(long begin, String name, long offset, long bytes, Epfsl error, String path) {
    if (trace.isPresent()) {
      trace.get().add(begin, name, offset, bytes, error, path);
    }
  }

  /** Whatever keeps the position from being known must not keep the rank from its call. */
  private static long offset(Descriptor file) {
    try {
      return file.pointer();
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

  private PfsFile requireShared(int descriptor) throws PfsException {
    if (find(descriptor) instanceof PfsFile file) {
      return file;
    }
    throw new PfsException(Epfsl.EPFSLBADF, descriptor + " is no descriptor of a shared file");
  }

  OrdinaryFile requireOrdinary(int descriptor) throws PfsException {
    if (find(descriptor) instanceof OrdinaryFile file) {
      return file;
    }
    throw noted(
        new PfsException(Epfsl.EBADF, descriptor + " is no descriptor of an ordinary file"));
  }

  /** An open file of either kind. */
  private Descriptor require(int descriptor) throws PfsException {
    Descriptor file = find(descriptor);
    if (file == null) {
      throw new PfsException(
          descriptor < Pfs.FIRST_SHARED ? Epfsl.EBADF : Epfsl.EPFSLBADF,
          descriptor + " is no open descriptor");
    }
    return file;
  }

  private @Nullable Descriptor find(int descriptor) {
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

  void put(int descriptor, Descriptor file) {
    files[descriptor] = file;
    if (file instanceof PfsFile shared) {
      notes.changed(shared, ids);
    }
  }

  void free(int descriptor) {
    files[descriptor] = null;
  }

  /** The mode of a file has changed. */
  void changed(PfsFile file) {
    notes.changed(file, ids);
  }
}
