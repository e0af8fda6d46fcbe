package org.millrace.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.DelegationHolder;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileSpace;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.files.Striping;

/**
 * A tree that takes another session when its own is over, as after an end of the cluster in order.
 * Calls wait for the next session, but not for ever: then they fail with the error that ended the
 * last one, and later calls try again. A call that may have been carried out before is not
 * repeated, unless that makes no difference. Handles go on where nothing can have been lost ({@link
 * ReconnectingHandle}).
 *
 * <p>Safe for use by several threads: one lock, which is held while a session is made, so that one
 * thread makes it for all. Closing closes the session of the moment.
 */
public final class ReconnectingTree implements FileTree {

  /** Makes sessions. */
  public interface Connecting {

    /** Another session; an error if there is nobody to connect to. */
    Session connect() throws IOException;
  }

  /**
   * A session.
   *
   * @param tree what it shows
   * @param afterwards closed after the tree: what the session was made by
   */
  public record Session(FileTree tree, Closeable afterwards) {}

  /** Something that a session does. */
  interface Call<T, R> {

    /** Does it. */
    R with(T target) throws IOException;
  }

  /** The time of a session: each is another object. */
  static final class Life {

    private final Session session;
    private final FileTree tree;

    private Life(Session session) {
      this.session = session;
      this.tree = session.tree;
    }

    FileTree tree() {
      return tree;
    }

    private void close() throws IOException {
      try (session.afterwards) {
        tree.close();
      }
    }
  }

  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long PAUSE_NANOS = 250_000_000L;

  // Constant after construction.
  private final Env env;
  private final Connecting connecting;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // Written with the lock held.
  private volatile Life life;
  private volatile boolean gaveUp;

  @GuardedBy("lock")
  private @Nullable DelegationHolder holder;

  /** Until when calls wait for the next session; NEVER while there is one. */
  @GuardedBy("lock")
  private long waitsUntilNanos = Env.NEVER;

  /** When the next session may be tried for. */
  @GuardedBy("lock")
  private long nextNanos;

  /**
   * Begins with a session.
   *
   * @param connecting makes all later ones
   * @param log told when a session is over, and when there is another
   */
  public ReconnectingTree(Env env, Session first, Connecting connecting, Consumer<String> log) {
    this.env = env;
    this.connecting = connecting;
    this.log = log;
    changed = env.signal(lock);
    life = new Life(first);
    nextNanos = env.nanoTime();
  }

  /** From now on no call waits for another session. */
  public void giveUp() {
    lock.lock();
    try {
      gaveUp = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A session that is not known to be over. */
  private Life live() throws MillraceException {
    Life now = life;
    return now.tree.isOver() ? next(now, over()) : now;
  }

  static MillraceException over() {
    return new MillraceException(ErrorCode.NODE, "the session at the cluster is over");
  }

  void log(String line) {
    log.accept(line);
  }

  /** Whether an error means that a session is over, and not something else. */
  static boolean endsLife(Life now, MillraceException e) {
    return now.tree.isOver()
        && switch (e.code()) {
          case NODE, UNKNOWN, RESTARTED, CLOSED, LOST, DEADLINE -> true;
          default -> false;
        };
  }

  /** Whether a call that failed with the end of its session was certainly not carried out. */
  static boolean isUndone(MillraceException e) {
    return e.code() == ErrorCode.NODE;
  }

  /**
   * The session that follows one that is over; waits for it.
   *
   * @param cause thrown if there is none in time
   */
  Life next(Life over, MillraceException cause) throws MillraceException {
    lock.lock();
    try {
      while (life == over) {
        long now = env.nanoTime();
        if (gaveUp) {
          throw cause;
        }
        if (waitsUntilNanos == Env.NEVER) {
          log.accept("the session at the cluster is over, waiting for another: " + cause);
          waitsUntilNanos = env.deadlineAfter(PATIENCE_NANOS);
          closeAfter(over, cause);
        } else if (now < nextNanos && now >= waitsUntilNanos) {
          throw cause;
        }
        if (now < nextNanos) {
          changed.await(nextNanos);
        } else {
          connect(cause);
        }
      }
      return life;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void connect(MillraceException cause) throws MillraceException {
    try {
      life = new Life(connecting.connect());
      if (holder != null) {
        holder.lost(); // what was delegated was so in another session
        life.tree.delegateTo(holder);
      }
      waitsUntilNanos = Env.NEVER;
      log.accept("there is another session at the cluster");
      changed.signalAll();
    } catch (IOException e) {
      nextNanos = env.deadlineAfter(PAUSE_NANOS);
      if (env.nanoTime() >= waitsUntilNanos) {
        cause.addSuppressed(e);
        throw cause;
      }
    }
  }

  private static void closeAfter(Life over, MillraceException cause) {
    try {
      over.close();
    } catch (IOException e) {
      cause.addSuppressed(e); // it is over
    }
  }

  /** Does what makes no difference when it is done twice. */
  private <R> R again(Call<FileTree, R> call) throws IOException {
    return call(call, true);
  }

  /** Does what must not be done twice. */
  private <R> R once(Call<FileTree, R> call) throws IOException {
    return call(call, false);
  }

  private <R> R call(Call<FileTree, R> call, boolean repeatable) throws IOException {
    Life now = live();
    try {
      return call.with(now.tree);
    } catch (MillraceException e) {
      if (!endsLife(now, e)) {
        throw e;
      }
      Life next = next(now, e);
      if (!repeatable && !isUndone(e)) {
        throw e;
      }
      return call.with(next.tree);
    }
  }

  /** Something that a session does without an answer. */
  private interface Change {
    void with(FileTree tree) throws IOException;
  }

  private void does(Change change) throws IOException {
    once(
        tree -> {
          change.with(tree);
          return true;
        });
  }

  @Override
  public FileStatus stat(FilePath path) throws IOException {
    return again(tree -> tree.stat(path));
  }

  @Override
  public FileListing list(FilePath directory, String after, int most) throws IOException {
    return again(tree -> tree.list(directory, after, most));
  }

  @Override
  public FileStatus makeDirectory(FilePath path, NewFile attributes) throws IOException {
    return once(tree -> tree.makeDirectory(path, attributes));
  }

  @Override
  public FileStatus makeLink(FilePath path, String target, NewFile attributes) throws IOException {
    return once(tree -> tree.makeLink(path, target, attributes));
  }

  @Override
  public FileStatus makeSpecial(FilePath path, FileKind kind, long device, NewFile attributes)
      throws IOException {
    return once(tree -> tree.makeSpecial(path, kind, device, attributes));
  }

  @Override
  public String readLink(FilePath path) throws IOException {
    return again(tree -> tree.readLink(path));
  }

  @Override
  public FileStatus link(FilePath existing, FilePath name) throws IOException {
    return once(tree -> tree.link(existing, name));
  }

  @Override
  public void remove(FilePath path, Removing what) throws IOException {
    does(tree -> tree.remove(path, what));
  }

  @Override
  public void rename(FilePath from, FilePath to, Replacing replacing) throws IOException {
    does(tree -> tree.rename(from, to, replacing));
  }

  @Override
  public FileStatus change(FilePath path, FileChange change) throws IOException {
    return again(tree -> tree.change(path, change));
  }

  @Override
  public List<String> attributes(FilePath path) throws IOException {
    return again(tree -> tree.attributes(path));
  }

  @Override
  public byte[] attribute(FilePath path, String name) throws IOException {
    return again(tree -> tree.attribute(path, name));
  }

  @Override
  public void setAttribute(FilePath path, String name, byte[] value, Setting setting)
      throws IOException {
    does(tree -> tree.setAttribute(path, name, value, setting));
  }

  @Override
  public void removeAttribute(FilePath path, String name) throws IOException {
    does(tree -> tree.removeAttribute(path, name));
  }

  @Override
  public FileHandle open(FilePath path, Set<Opening> how, NewFile attributes) throws IOException {
    Life now = live();
    try {
      return new ReconnectingHandle(this, now, now.tree.open(path, how, attributes), how);
    } catch (MillraceException e) {
      if (!endsLife(now, e)) {
        throw e;
      }
      Life next = next(now, e);
      if (how.contains(Opening.EXCLUSIVE) && !isUndone(e)) {
        throw e;
      }
      return new ReconnectingHandle(this, next, next.tree.open(path, how, attributes), how);
    }
  }

  @Override
  public void delegateTo(DelegationHolder to) {
    lock.lock();
    try {
      holder = to;
      life.tree.delegateTo(to);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Striping striping(FilePath path) throws IOException {
    return again(tree -> tree.striping(path));
  }

  @Override
  public FileSpace space() throws IOException {
    return again(FileTree::space);
  }

  @Override
  public boolean isOver() {
    return gaveUp && life.tree.isOver();
  }

  @Override
  public void close() throws IOException {
    giveUp();
    life.close();
  }
}
