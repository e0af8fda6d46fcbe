package org.millrace.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.files.FileTree;
import org.millrace.mount.serve.Dispatcher;
import org.millrace.mount.serve.Dropping;
import org.millrace.mount.serve.KernelPages;
import org.millrace.mount.serve.Served;
import org.millrace.mount.serve.Turns;
import org.millrace.mount.serve.Worker;
import org.millrace.mount.system.FuseDevice;
import org.millrace.mount.system.MountException;
import org.millrace.mount.system.MountTable;
import org.millrace.mount.system.Mounting;

/**
 * A tree of files as a directory of Linux. It is there until it is unmounted, by {@link #close} or
 * by anybody with {@code umount}; when the process dies, calls there fail, and none hangs.
 *
 * <p>Safe for use by several threads. Closing detaches the directory at once, lets requests fail
 * that others still make, and leaves the tree open. It is idempotent.
 */
public final class Mount implements AutoCloseable {

  private static final int LARGEST_READ = 1 << 20;
  private static final long READY_NANOS = 60_000_000_000L;
  private static final long END_NANOS = 10_000_000_000L;

  // Constant after construction.
  private final Env env;
  private final Path mountPoint;
  private final FuseDevice device;
  private final Arena memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;
  private final AtomicBoolean freed = new AtomicBoolean();

  @GuardedBy("lock")
  private int running;

  @GuardedBy("lock")
  private boolean ready;

  private Mount(Env env, Path mountPoint, FuseDevice device) {
    this.env = env;
    this.mountPoint = mountPoint;
    this.device = device;
    memory = env.arena();
    changed = env.signal(lock);
  }

  /** Whether this process, as root, mounts for all users; else for its own user alone. */
  public static boolean isForAll() {
    return Mounting.isRoot();
  }

  /** Checks that a directory can be mounted at; the error says what to do. */
  public static void check(Path mountPoint) throws IOException {
    Mounting.check(mountPoint);
  }

  /** Whether something is mounted there by a process that is dead. */
  public static boolean isDead(Path mountPoint) throws IOException {
    return Mounting.isDead(mountPoint);
  }

  /**
   * Unmounts what any process has mounted.
   *
   * @param lazy whether it goes even though it is in use
   */
  public static void unmount(Path mountPoint, boolean lazy) throws IOException {
    Mounting.unmount(mountPoint, lazy || Mounting.isDead(mountPoint));
  }

  /** Mounts a tree, and returns when the kernel uses it. */
  public static Mount start(Env env, FileTree tree, Path mountPoint, MountOptions options)
      throws IOException {
    FuseDevice device = Mounting.mount(mountPoint, options.source(), LARGEST_READ);
    Mount mount = new Mount(env, mountPoint, device);
    mount.serve(tree, options);
    try {
      mount.awaitReady();
    } catch (IOException e) {
      mount.close();
      throw e;
    }
    return mount;
  }

  /** Returns when it was unmounted. */
  public void awaitEnd() {
    lock.lock();
    try {
      while (running > 0) {
        changed.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
    device.close();
  }

  @Override
  public void close() throws IOException {
    Optional<MountTable.Mounted> mounted = MountTable.at(mountPoint);
    if (isRunning() && mounted.isPresent() && mounted.get().isMillrace()) {
      Mounting.unmount(mountPoint, true);
      if (!hasEndedBy(env.deadlineAfter(END_NANOS / 10))) {
        Mounting.abort(mounted.get().device());
      }
    }
    if (hasEndedBy(env.deadlineAfter(END_NANOS))) {
      device.close();
      if (freed.compareAndSet(false, true)) {
        memory.close();
      }
    }
  }

  private void serve(FileTree tree, MountOptions options) {
    KernelPages pages =
        switch (options.caching()) {
          case NEVER -> KernelPages.never(env);
          case DELEGATED -> KernelPages.delegated(env, new Dropping(device));
          case ALWAYS -> KernelPages.always(env);
        };
    if (options.caching() == MountOptions.Caching.DELEGATED) {
      tree.delegateTo(pages);
    }
    Served served = new Served(env, tree, options.givesOwners(), options.cacheNanos(), pages);
    Dispatcher dispatcher = new Dispatcher(served, options.threads());
    Turns turns = new Turns(env);
    for (int i = 0; i < options.threads(); i++) {
      Worker worker = new Worker(dispatcher, turns, device, memory, options.log(), this::onReady);
      started();
      env.start(ThreadKind.CONNECTION, "mount-" + i, () -> runWorker(worker));
    }
  }

  private void runWorker(Worker worker) {
    try {
      worker.run();
    } finally {
      lock.lock();
      try {
        running--;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void started() {
    lock.lock();
    try {
      running++;
    } finally {
      lock.unlock();
    }
  }

  private void onReady() {
    lock.lock();
    try {
      ready = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitReady() throws MountException {
    long deadline = env.deadlineAfter(READY_NANOS);
    lock.lock();
    try {
      while (!ready) {
        if (running == 0 || !changed.await(deadline)) {
          throw new MountException("the kernel has not begun to use " + mountPoint);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isRunning() {
    lock.lock();
    try {
      return running > 0;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasEndedBy(long deadline) {
    lock.lock();
    try {
      while (running > 0) {
        if (!changed.await(deadline)) {
          return running == 0;
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
