package org.millrace.heritage.pfs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * What a descriptor stands for. A file that was opened without synchronizing is this rank's alone
 * until its clients first meet at {@code setiomode}; in M_UNIX, which it is in until then, nobody
 * can tell. An ordinary file stays alone.
 *
 * <p>Belongs to the rank's thread. Closed by {@link #close}.
 */
final class PfsFile {

  /** Of a path in the name of a lock; long ones that end alike take turns for nothing. */
  private static final int LOCK_CHARS = 200;

  // constant after construction
  private final Clients clients;
  private final String path;
  private final PfsFlags flags;
  private final boolean shared;

  // owned by the rank's thread
  private Rank group;
  private SharedFile file;
  private boolean alone;

  private PfsFile(
      Clients clients,
      String path,
      PfsFlags flags,
      boolean shared,
      Rank group,
      SharedFile file,
      boolean alone) {
    this.clients = clients;
    this.path = path;
    this.flags = flags;
    this.shared = shared;
    this.group = group;
    this.file = file;
    this.alone = alone;
  }

  /** Opens it with all its clients. Synchronizing. */
  static PfsFile together(Clients clients, FileName name, PfsFlags flags, IoMode mode)
      throws IOException {
    Rank group = clients.group(name.path());
    try {
      SharedFile file = group.open(name.path(), flags.options(true, true).withMode(mode.mode()));
      return new PfsFile(clients, name.path(), flags, true, group, file, false);
    } catch (IOException | RuntimeException e) {
      clients.leave(group);
      throw e;
    }
  }

  /** Comes to an open with something that cannot be opened, so that it fails on all who come. */
  static void refuse(Clients clients, String name, PfsException why) {
    try {
      Rank group = clients.group(FileName.fromRoot(name)); // as those who can open it look for it
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
   * Opens it for this rank. Only the first of several opens makes it or cuts it: as long as anybody
   * has it open, others join. Ranks of one program take turns at that. Programs do not: of two that
   * open at the same moment one may cut after the other did, or fail for O_EXCL, as in Unix.
   */
  static PfsFile alone(Clients clients, FileName name, PfsFlags flags) throws IOException {
    Rank alone = clients.rank().alone();
    try {
      SharedFile file = openAlone(clients, alone, name, flags);
      return new PfsFile(clients, name.path(), flags, name.isShared(), alone, file, true);
    } catch (IOException | RuntimeException e) {
      clients.leave(alone);
      throw e;
    }
  }

  private static SharedFile openAlone(Clients clients, Rank alone, FileName name, PfsFlags flags)
      throws IOException {
    if (!name.isShared() || !flags.changesTheFile()) {
      return alone.open(name.path(), flags.options(true, false).withMode(Mode.ATOMIC));
    }
    String end = name.path().substring(Math.max(0, name.path().length() - LOCK_CHARS));
    try (HeldLock _ = clients.rank().lock("pfslib open " + end)) {
      boolean first = !isOpen(clients.rank(), name.path());
      return alone.open(name.path(), flags.options(first, false).withMode(Mode.ATOMIC));
    }
  }

  private static boolean isOpen(Rank rank, String path) throws IOException {
    try {
      rank.names().checkReplaceable(path);
      return false;
    } catch (NoSuchNameException e) {
      return false;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.IN_USE) {
        return true;
      }
      throw e;
    }
  }

  String path() {
    return path;
  }

  boolean isShared() {
    return shared;
  }

  IoMode mode() {
    return IoMode.of(file.mode());
  }

  Errors.Doing doing() {
    return shared ? Errors.Doing.CALL : Errors.Doing.UNIX;
  }

  boolean isClosed() {
    return file.isClosed();
  }

  /** What a seek to nowhere is: the page of lseek knows no EPFSLINVAL. */
  Epfsl invalidSeek() {
    return shared ? Epfsl.EPFSLREMOTE : Epfsl.EINVAL;
  }

  /** Where the pointer of the mode stands. */
  long position() throws IOException {
    return file.position();
  }

  long size() throws IOException {
    return file.size();
  }

  void extend(long size) throws IOException {
    checkDirection(true);
    file.extend(size);
  }

  void seek(long position) throws IOException {
    file.seek(position);
  }

  long seekToEnd(long delta) throws IOException {
    return file.seekToEnd(delta);
  }

  void checkDirection(boolean write) throws PfsException {
    if (write ? !flags.writes() : !flags.reads()) {
      throw new PfsException(
          shared ? Epfsl.EPFSLREMOTE : Epfsl.EBADF,
          "%s: %s was opened for %s only"
              .formatted(Epfsl.EBADF.text(), path, write ? "reading" : "writing"));
    }
  }

  /** Moves bytes where the mode says. */
  long move(boolean write, Memory memory) throws IOException {
    if (!write) {
      return memory.parts().size() == 1
          ? file.read(memory.parts().getFirst().segment()) // needs no size beforehand
          : file.read(memory);
    }
    return appendsHere(memory)
        ? file.at(reserve(memory.length())).write(memory)
        : file.write(memory);
  }

  /** As {@link #move}; the place is taken when this returns. */
  CompletableFuture<Long> start(boolean write, Memory memory) throws IOException {
    if (!write) {
      return file.readAsync(memory);
    }
    return appendsHere(memory)
        ? file.at(reserve(memory.length())).writeAsync(memory)
        : file.writeAsync(memory);
  }

  private boolean appendsHere(Memory memory) {
    return alone && flags.appends() && memory.length() > 0;
  }

  /**
   * Those who opened it alone, in this program or another, have no common end but that of the file
   * itself.
   */
  private long reserve(long bytes) throws IOException {
    try (HeldLock _ = HeldLock.ofEnd(file)) {
      long start = file.size();
      file.extend(Math.addExact(start, bytes));
      file.seek(start + bytes);
      return start;
    }
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
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /** Changes the mode. Synchronizing. */
  void setMode(IoMode mode) throws IOException {
    if (alone) {
      meet();
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
      together = all.open(path, PfsFlags.joined(all.allGather(flags.use())).withMode(Mode.ATOMIC));
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
  void close() throws IOException {
    try {
      file.close();
    } finally {
      if (file.isClosed()) {
        clients.leave(group);
      }
    }
  }
}
