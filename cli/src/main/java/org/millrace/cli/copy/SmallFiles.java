package org.millrace.cli.copy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.files.FileTree;

/**
 * Copies many small files at a time. They mostly wait: for answers, and for forces, which the
 * coordinator, the nodes and the local file system carry out for all who wait at the same time. So
 * many are under way at once, in one session that forms no group: a group for each file would cost
 * more messages than the file itself.
 *
 * <p>Used by one thread. Closing ends the session, if there was need of one.
 */
public final class SmallFiles implements AutoCloseable {

  /** The longest file that counts as small: it is held in memory, once for each under way. */
  public static final long MOST_BYTES = 1 << 20;

  /** Enough to share forces, and few enough that memory and threads do not matter. */
  static final int MAX_AT_A_TIME = 32;

  /** Opens a session. */
  public interface Sessions {
    /** Opens one. */
    FileTree open() throws IOException;
  }

  /** What is done with each of several files. */
  interface Work<F> {
    /** Does it in a session. */
    void run(FileTree tree, F file) throws IOException;
  }

  // constant after construction
  private final Env env;
  private final Sessions sessions;

  // owned by the thread that uses it
  private final List<FileTree> session = new ArrayList<>(1);

  /** Small files of a cluster, of which {@code sessions} opens one when it is needed. */
  public SmallFiles(Env env, Sessions sessions) {
    this.env = env;
    this.sessions = sessions;
  }

  /** The session. */
  public FileTree tree() throws IOException {
    if (session.isEmpty()) {
      session.add(sessions.open());
    }
    return session.getFirst();
  }

  /**
   * Does the same with all files, in about their order. If one fails no other is begun; those under
   * way are finished.
   */
  <F> void run(List<F> all, Work<F> work) throws IOException {
    if (all.isEmpty()) {
      return;
    }
    FileTree tree = tree();
    List<JobQueue.Job<FileTree>> jobs = new ArrayList<>();
    all.forEach(one -> jobs.add(there -> work.run(there, one)));
    JobQueue<FileTree> queue = new JobQueue<>(jobs);
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (int i = 0; i < Math.min(MAX_AT_A_TIME, all.size()); i++) {
      CompletableFuture<Boolean> end = new CompletableFuture<>();
      ends.add(end);
      env.start(ThreadKind.DISK, "copy", () -> take(queue, tree, end));
    }
    ends.forEach(Transfers::settle);
    IOException failure = null;
    for (CompletableFuture<Boolean> end : ends) {
      try {
        boolean _ = Transfers.await(end);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static void take(
      JobQueue<FileTree> queue, FileTree tree, CompletableFuture<Boolean> end) {
    try {
      queue.work(tree);
      end.complete(true);
    } catch (IOException | RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (FileTree tree : session) {
      tree.close();
    }
  }
}
