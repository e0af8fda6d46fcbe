package org.millrace.heritage.pfs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.client.HeldLock;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * A shared file. One that was opened without synchronizing is this rank's alone until its clients
 * first meet at {@code setiomode}; in M_UNIX, which it is in until then, nobody can tell.
 *
 * <p>Belongs to the rank's thread. Closed by {@link #close}.
 */
final class PfsFile implements Descriptor {

  /** Of a path in the name of a lock; long ones that end alike take turns for nothing. */
  private static final int LOCK_CHARS = 200;

  // constant after construction
  private final Clients clients;
  private final String path;
  private final PfsFlags flags;

  // owned by the rank's thread
  private Rank group;
  private SharedFile file;
  private boolean alone;

  private PfsFile(
      Clients clients, String path, PfsFlags flags, Rank group, SharedFile file, boolean alone) {
    this.clients = clients;
    this.path = path;
    this.flags = flags;
    this.group = group;
    this.file = file;
    this.alone = alone;
  }

  /** Opens it with all its clients. Synchronizing. */
  static PfsFile together(Clients clients, String path, PfsFlags flags, IoMode mode)
      throws IOException {
    Rank group = clients.group(path);
    try {
      return new PfsFile(
          clients, path, flags, group, opened(group, path, flags, mode.mode()), false);
    } catch (IOException | RuntimeException e) {
      clients.leave(group);
      throw e;
    }
  }

  /** Comes to an open with something that cannot be opened, so that it fails on all who come. */
  static void refuse(Clients clients, @Nullable String name, PfsException why) {
    try { // as those who can open it look for it
      Rank group = clients.group(name == null ? "" : FileName.fromRoot(name));
      try {
        group.open("/" + why.code(), OpenOptions.read());
      } finally {
        clients.leave(group);
      }
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /**
   * Opens it for this rank. What the first of several clients opened, the others join: nothing is
   * made, cut or checked again. A client that has joined already opens anew.
   */
  static PfsFile alone(Clients clients, String path, PfsFlags flags) throws IOException {
    Rank alone = clients.rank().alone();
    try {
      return new PfsFile(
          clients, path, flags, alone, openAlone(clients.rank(), alone, path, flags), true);
    } catch (IOException | RuntimeException e) {
      clients.leave(alone);
      throw e;
    }
  }

  /** Ranks of one program take turns. */
  private static SharedFile openAlone(Rank program, Rank alone, String path, PfsFlags flags)
      throws IOException {
    String end = path.substring(Math.max(0, path.length() - LOCK_CHARS));
    try (HeldLock _ = program.lock("pfslib open " + end)) {
      return isOpenElsewhere(program, path)
          ? joined(alone, path, flags.ofExisting().withMode(Mode.ATOMIC))
          : opened(alone, path, flags, Mode.ATOMIC);
    }
  }

  private static boolean isOpenElsewhere(Rank program, String path) throws IOException {
    try {
      return program.isOpenElsewhere(path);
    } catch (NoSuchNameException e) {
      return false;
    }
  }

  private static SharedFile opened(Rank group, String path, PfsFlags flags, Mode mode)
      throws IOException {
    if (flags.onlyReadsIfThere()) {
      try {
        return group.open(path, flags.ofExisting().withMode(mode));
      } catch (NoSuchNameException e) { // the same on all ranks: it is made
        return group.open(path, flags.options().withMode(mode));
      }
    }
    return group.open(path, flags.options().withMode(mode));
  }

  /** Opens what some client has open: for what that one may do, else for what this one may. */
  private static SharedFile joined(Rank group, String path, OpenOptions options)
      throws IOException {
    try {
      return group.open(path, options.withJoining());
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.CLOSED) {
        throw e;
      }
      return group.open(path, options);
    }
  }

  @Override
  public String path() {
    return path;
  }

  IoMode mode() {
    return IoMode.of(file.mode());
  }

  @Override
  public boolean isClosed() {
    return file.isClosed();
  }

  /** Where the pointer of the mode stands when all have issued what this client has. */
  long position() throws IOException {
    return file.position();
  }

  @Override
  public long pointer() throws IOException {
    return file.mode().sharesPointer() ? file.sharedPosition() : file.position();
  }

  /** Where the bytes end that are there. */
  long size() throws IOException {
    return file.size();
  }

  /** Where the file ends, counting what is about to be written. */
  long end() throws IOException {
    return file.endPosition();
  }

  void extend(long size) throws IOException {
    file.extend(size);
  }

  void moveTo(long position) throws IOException {
    file.seek(position);
  }

  long moveToEnd(long delta) throws IOException {
    return file.seekToEnd(delta);
  }

  @Override
  public long seek(long offset, int whence) throws IOException {
    return Places.seek(this, offset, whence);
  }

  void checkDirection(boolean write) throws PfsException {
    if (write ? !flags.writes() : !flags.reads()) {
      throw new PfsException(
          Epfsl.EPFSLREMOTE,
          "%s: %s was opened for %s only"
              .formatted(Epfsl.EBADF.text(), path, write ? "reading" : "writing"));
    }
  }

  /** Moves bytes where the mode says. */
  long move(boolean write, Memory memory) throws IOException {
    if (write) {
      return file.write(memory);
    }
    return memory.parts().size() == 1
        ? file.read(memory.parts().getFirst().segment()) // needs no size beforehand
        : file.read(memory);
  }

  /** As {@link #move}; the place is taken when this returns. */
  CompletableFuture<Long> start(boolean write, Memory memory) throws IOException {
    return write ? file.writeAsync(memory) : file.readAsync(memory);
  }

  /**
   * A call of this rank's is wrong where all must call: comes all the same and lets it fail, or the
   * others would wait.
   */
  void refuse(PfsException why, boolean async) {
    var refusing = file.all().refusing(new IllegalArgumentException(why.getMessage()));
    Memory nothing = Memory.of(List.of());
    try {
      if (async) {
        var _ = flags.reads() ? refusing.readAsync(nothing) : refusing.writeAsync(nothing);
      } else {
        var _ = flags.reads() ? refusing.read(nothing) : refusing.write(nothing);
      }
    } catch (IOException | RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  /** Changes the mode. Synchronizing: a client without a mode comes, too, and all fail. */
  void setMode(@Nullable IoMode mode) throws IOException {
    if (alone) {
      meet();
    }
    if (mode == null) {
      PfsException why = new PfsException(Epfsl.EPFSLINVAL, "no I/O mode");
      refuse(why, false);
      throw why;
    }
    file.setMode(mode.mode());
  }

  /**
   * The clients of a file that each has opened for itself open it together, for all that any of
   * them has opened it for; {@link #checkDirection} keeps each to its own.
   */
  private void meet() throws IOException {
    Rank all = clients.group(path);
    SharedFile together;
    try {
      OpenOptions options = PfsFlags.joined(all.allGather(flags.use()));
      together = joined(all, path, options.withMode(Mode.ATOMIC));
    } catch (IOException | RuntimeException e) {
      clients.leave(all);
      throw e;
    }
    SharedFile own = file;
    Rank self = group;
    together.seek(own.position());
    file = together;
    group = all;
    alone = false;
    own.close(); // after what it has under way
    clients.leave(self);
  }

  /** Closes it; synchronizing where the mode says so. If the ranks disagree it stays open. */
  @Override
  public void close() throws IOException {
    try {
      file.close();
    } finally {
      if (file.isClosed()) {
        clients.leave(group);
      }
    }
  }

  /** Says to people who ask the server what this client is doing with the file. */
  void describe(String what) throws IOException {
    file.describe(what);
  }

  @Override
  public PfsException failure(Page page, Throwable e) {
    if (e instanceof MillraceException refused
        && refused.code() == ErrorCode.NOT_PERMITTED
        && !isKnown()) {
      return Errors.ofShared(
          page, new PfsException(Epfsl.EPFSLBADFH, "the server knows " + path + " no more", e));
    }
    return Errors.ofShared(page, e);
  }

  /** Whether the server still has it open; nodes refuse what it has not without saying why. */
  private boolean isKnown() {
    try {
      return file.sharedPosition() >= 0;
    } catch (MillraceException e) {
      return e.code() != ErrorCode.CLOSED;
    } catch (IOException e) {
      return true;
    }
  }
}
