package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/**
 * A sparse disk in memory, for tests and simulation. It distinguishes durable from unforced bytes,
 * and can produce what may be left after a loss of power: see {@link #crash()} and {@link
 * #crash(long)}.
 *
 * <p>All methods may be called from any thread; one lock guards the disk and all its files. Closing
 * closes the files; the content can still be crashed.
 */
public final class MemoryDisk implements Disk {

  private final String name;
  final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private final TreeMap<String, MemoryContent> names = new TreeMap<>();

  @GuardedBy("lock")
  private final TreeMap<String, MemoryContent> durableNames = new TreeMap<>();

  @GuardedBy("lock")
  private final List<TreeMap<String, MemoryContent>> namesSinceForce = new ArrayList<>();

  @GuardedBy("lock")
  private boolean closed;

  /** An empty disk. */
  public MemoryDisk(String name) {
    this.name = name;
  }

  /**
   * The disk as after a loss of power that nothing survives but what was forced. This disk stays as
   * it is.
   */
  public MemoryDisk crash() {
    lock.lock();
    try {
      MemoryDisk after = new MemoryDisk(name);
      durableNames.forEach((file, content) -> after.put(file, content.durable()));
      return after;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The disk as after a loss of power that what was forced survives and, by the draw of {@code
   * seed}, any part of what was not: each sector keeps any of the contents it had since the last
   * force, each file any of its sizes, and the names are as after any of the steps that changed
   * them.
   */
  public MemoryDisk crash(long seed) {
    RandomGenerator random = SeededEnv.of(seed).random("crash");
    lock.lock();
    try {
      MemoryDisk after = new MemoryDisk(name);
      int step = random.nextInt(namesSinceForce.size() + 1);
      TreeMap<String, MemoryContent> survived =
          step == 0 ? durableNames : namesSinceForce.get(step - 1);
      survived.forEach((file, content) -> after.put(file, content.torn(random)));
      return after;
    } finally {
      lock.unlock();
    }
  }

  private void put(String file, MemoryContent content) {
    lock.lock();
    try {
      names.put(file, content);
      durableNames.put(file, content);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DiskFile open(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      checkOpen(file);
      return new MemoryDiskFile(this, file, require(file));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public DiskFile create(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      checkOpen(file);
      if (names.containsKey(file)) {
        throw new NameExistsException("file " + file + " already exists on disk " + name);
      }
      MemoryContent content = new MemoryContent();
      names.put(file, content);
      namesChanged();
      return new MemoryDiskFile(this, file, content);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean exists(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      checkOpen(file);
      return names.containsKey(file);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void delete(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      checkOpen(file);
      if (names.remove(file) != null) {
        namesChanged();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    DiskFileNames.require(from);
    DiskFileNames.require(to);
    lock.lock();
    try {
      checkOpen(from);
      MemoryContent content = require(from);
      names.remove(from);
      names.put(to, content);
      namesChanged();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<String> list() throws IOException {
    lock.lock();
    try {
      checkOpen("");
      return List.copyOf(names.keySet());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void force() throws IOException {
    lock.lock();
    try {
      checkOpen("");
      durableNames.clear();
      durableNames.putAll(names);
      namesSinceForce.clear();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "disk " + name;
  }

  /** Throws if the disk is closed. The caller holds the lock. */
  @GuardedBy("lock")
  void checkOpen(String file) throws IOException {
    if (closed) {
      throw new MillraceException(
          ErrorCode.CLOSED, "disk " + name + " is closed" + (file.isEmpty() ? "" : ": " + file));
    }
  }

  @GuardedBy("lock")
  private MemoryContent require(String file) throws IOException {
    MemoryContent content = names.get(file);
    if (content == null) {
      throw new NoSuchNameException("no file " + file + " on disk " + name);
    }
    return content;
  }

  @GuardedBy("lock")
  private void namesChanged() {
    namesSinceForce.add(new TreeMap<>(names));
  }
}
