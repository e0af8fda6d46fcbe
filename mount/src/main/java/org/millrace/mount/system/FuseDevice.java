package org.millrace.mount.system;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The kernel's end of a mount, as a descriptor. Each thread has a port: a clone of the descriptor
 * with a queue of its own, or, where the kernel cannot clone, the same descriptor. When the last
 * descriptor is closed, also by the end of the process, the kernel lets all requests fail.
 *
 * <p>Safe for use by several threads.
 */
public final class FuseDevice implements AutoCloseable {

  /** The path of the device. */
  public static final String PATH = "/dev/fuse";

  private static final long CLONE = 0x8004e500L;

  private final int descriptor;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ReentrantReadWriteLock telling = new ReentrantReadWriteLock();

  /** Over a descriptor, which it closes. */
  public FuseDevice(int descriptor) {
    this.descriptor = descriptor;
  }

  /** A way to the device for one thread; replies to what was read here are written here. */
  public static final class Port {
    private final Libc libc = new Libc();
    private final int descriptor;
    private final boolean own;

    Port(int descriptor, boolean own) {
      this.descriptor = descriptor;
      this.own = own;
    }

    /** Another thread's way to the same queue. */
    public Port forAnotherThread() {
      return new Port(descriptor, false);
    }

    /** Reads one request; a negative error number if there is none. */
    public long read(MemorySegment into) {
      return libc.read(descriptor, into, into.byteSize());
    }

    /** Writes one reply; a negative error number if that fails. */
    public long write(MemorySegment from, long bytes) {
      return libc.write(descriptor, from, bytes);
    }

    /** Gives it up. */
    public void close() {
      if (own) {
        libc.close(descriptor);
      }
    }
  }

  /**
   * Tells the kernel something that it has not asked. Closing waits for that; after it nothing is
   * told.
   *
   * @return as {@link Port#write}
   */
  public long tell(MemorySegment notice, long bytes) {
    telling.readLock().lock();
    try {
      return closed.get() ? -Errno.ENODEV.number() : new Libc().write(descriptor, notice, bytes);
    } finally {
      telling.readLock().unlock();
    }
  }

  /** A port for a thread. */
  public Port port() {
    Libc libc = new Libc();
    int other = libc.open(PATH, Libc.READ_WRITE_CLOEXEC);
    if (other >= 0) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_INT, descriptor);
        if (libc.ioctl(other, CLONE, from) >= 0) {
          return new Port(other, true);
        }
      }
      libc.close(other);
    }
    return new Port(descriptor, false);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      telling.writeLock().lock(); // or a notice could go to another file with this number
      try {
        new Libc().close(descriptor);
      } finally {
        telling.writeLock().unlock();
      }
    }
  }
}
