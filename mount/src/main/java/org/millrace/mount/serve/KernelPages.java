package org.millrace.mount.serve;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.files.DelegationHolder;
import org.millrace.files.FileHandle;
import org.millrace.files.FileStatus;

/**
 * What the kernel may keep of open files. It decides for each open file once and for all whether it
 * goes through the kernel's page cache: the kernel cannot change that later. While a file is
 * delegated the kernel keeps its bytes. When it is wanted back they are dropped, and from then on
 * whatever a file that goes through the cache has read or written is dropped right after it was
 * answered; new open files go past the cache.
 *
 * <p>A file that is opened for writing alone goes past the cache, too: nobody reads through it, and
 * a copy into new pages costs more than all else that a large write does. But bytes that are read
 * through the cache must be those that were written past it. So both are never open at once: who
 * comes second goes the way of the first.
 *
 * <p>Dropping waits for requests of the kernel that are under way, so no thread that serves
 * requests does it.
 *
 * <p>Safe for use by several threads: one lock, not held while anything is dropped.
 */
public final class KernelPages implements DelegationHolder {

  private static final long LINGER_NANOS = 1_000_000_000L;

  /** What a file is opened for. */
  enum Use {
    /** Reading, or both. */
    READS,
    /** Writing alone. */
    WRITES,
    /** Writing at the end, wherever it is by then; perhaps reading as well. */
    APPENDS
  }

  /** When the kernel keeps bytes. */
  private enum Rule {
    NEVER,
    DELEGATED,
    ALWAYS
  }

  // Constant after construction.
  private final Env env;
  private final Rule rule;
  private final LongConsumer dropping;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  /** Files that are open, by number; changed with the lock held. */
  private final ConcurrentHashMap<Long, FilePages> open = new ConcurrentHashMap<>();

  /** Whether files that go past the cache can be mapped; set when the kernel has said it. */
  private volatile boolean directMapped;

  private KernelPages(Env env, Rule rule, LongConsumer dropping) {
    this.env = env;
    this.rule = rule;
    this.dropping = dropping;
    changed = env.signal(lock);
  }

  /** All files go past the cache. */
  public static KernelPages never(Env env) {
    return new KernelPages(env, Rule.NEVER, _ -> {});
  }

  /** All files but those that are appended to go through the cache, delegated or not. */
  public static KernelPages always(Env env) {
    return new KernelPages(env, Rule.ALWAYS, _ -> {});
  }

  /**
   * Files that are delegated go through the cache.
   *
   * @param dropping has the kernel drop all bytes of a file; returns when it has
   */
  public static KernelPages delegated(Env env, LongConsumer dropping) {
    return new KernelPages(env, Rule.DELEGATED, dropping);
  }

  /** Whether the kernel is told when to drop bytes; else it finds out by attributes. */
  boolean areDroppedHere() {
    return rule == Rule.DELEGATED;
  }

  /**
   * The kernel has said whether programs may map files that go past the cache. If not, only files
   * that must go past it do: a program that maps what another one writes would fail.
   */
  void mapsDirect(boolean maps) {
    directMapped = maps;
  }

  /** A file is open. */
  OpenFile opened(FileHandle handle, Use use) {
    lock.lock();
    try {
      FilePages pages = open.computeIfAbsent(handle.id(), FilePages::new);
      boolean cached =
          switch (rule) {
            case NEVER -> false;
            case DELEGATED -> handle.isDelegated() && mayCache(pages, use);
            case ALWAYS -> use != Use.APPENDS;
          };
      OpenFile file = new OpenFile(handle, pages, cached, !cached && use == Use.WRITES);
      pages.count(file, 1);
      if (cached) {
        pages.shared = false; // the kernel drops what it has when it hears of this
      }
      return file;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether a file that is opened may go through the cache beside those that are open. One who
   * appends goes past it, because bytes may go elsewhere than to where the kernel believes the end
   * to be.
   */
  private boolean mayCache(FilePages pages, Use use) {
    return switch (use) {
      case READS -> pages.directWriters == 0;
      case WRITES -> pages.cached || !directMapped;
      case APPENDS -> false;
    };
  }

  /** It is not open any more. */
  void closed(OpenFile file) {
    lock.lock();
    try {
      FilePages pages = file.pages();
      pages.count(file, -1);
      if (pages.handles == 0) {
        open.remove(pages.id);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A read or write was answered. */
  void answered(OpenFile file, boolean write) {
    FilePages pages = file.pages();
    boolean drops = file.isCached() ? pages.shared : write && pages.cached;
    if (drops && areDroppedHere()) {
      dropSoon(pages);
    }
  }

  /** Whether attributes of a file must be asked for each time that they are needed. */
  boolean mayChange(long id) {
    FilePages pages = open.get(id);
    return pages != null && pages.isShared();
  }

  /**
   * Attributes are about to be told to the kernel. Others may have written where it has mapped
   * bytes of a file that goes past the cache.
   */
  void seen(FileStatus status) {
    FilePages pages = areDroppedHere() ? open.get(status.id()) : null;
    if (pages != null && pages.hasChanged(status) && (pages.shared || !pages.cached)) {
      dropSoon(pages);
    }
  }

  /** Returns when the kernel has dropped all that it had when this was called. */
  void drop(long id) {
    dropping.accept(Served.node(id));
  }

  @Override
  public void recalled(long file) {
    lock.lock();
    try {
      FilePages pages = open.get(file);
      if (pages != null) {
        pages.shared = true;
      }
    } finally {
      lock.unlock();
    }
    drop(file);
  }

  @Override
  public void lost() {
    List<FilePages> all;
    lock.lock();
    try {
      all = open.values().stream().filter(pages -> pages.cached).toList();
      all.forEach(pages -> pages.shared = true);
    } finally {
      lock.unlock();
    }
    all.forEach(this::dropSoon);
  }

  /** Has another thread drop what the kernel has of a file: one for each, while there is work. */
  private void dropSoon(FilePages pages) {
    lock.lock();
    try {
      pages.dropped = false;
      if (pages.dropping) {
        changed.signalAll();
        return;
      }
      pages.dropping = true;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.OPERATION, "mount-drops-" + pages.id, () -> dropAll(pages));
  }

  private void dropAll(FilePages pages) {
    while (awaitWork(pages)) {
      drop(pages.id);
    }
  }

  private boolean awaitWork(FilePages pages) {
    long until = env.deadlineAfter(LINGER_NANOS);
    lock.lock();
    try {
      while (pages.dropped) {
        if (pages.handles == 0 || !changed.await(until)) {
          pages.dropping = false;
          return false;
        }
      }
      pages.dropped = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** One file. Changed with the lock of the whole held; some of it is read without. */
  static final class FilePages {
    private final long id;
    private int handles;
    private int directWriters; // opened for writing alone, and past the cache
    private int cachedHandles;
    private volatile boolean cached; // whether there are any of these
    private volatile boolean shared;

    private boolean dropping; // a thread is there
    private boolean dropped = true; // nothing is left to do for it
    private volatile Version seen = new Version(Long.MIN_VALUE, 0);

    /** What tells contents apart, nearly always. */
    private record Version(long modified, long size) {}

    private FilePages(long id) {
      this.id = id;
    }

    /** Whether others may have written since this file was open here. */
    boolean isShared() {
      return shared && cached;
    }

    private void count(OpenFile file, int change) {
      handles += change;
      directWriters += file.isDirectWriter() ? change : 0;
      cachedHandles += file.isCached() ? change : 0;
      cached = cachedHandles > 0;
    }

    private boolean hasChanged(FileStatus status) {
      Version before = seen;
      Version now = new Version(status.times().modified(), status.size());
      seen = now;
      return before.modified != Long.MIN_VALUE && !before.equals(now);
    }
  }
}
