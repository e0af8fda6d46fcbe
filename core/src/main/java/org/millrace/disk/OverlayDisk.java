package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/**
 * A disk that reads from another one and keeps all that is written in memory: recovery runs on it
 * as ever, and the disk below stays as it is.
 *
 * <p>Safe for use by several threads: one lock guards names and contents. Closing closes files of
 * the disk below, not that disk.
 */
public final class OverlayDisk implements Disk {

  // constant after construction
  private final Disk below;
  final ReentrantLock lock = new ReentrantLock();

  /** What differs from the disk below; empty: the file is gone. */
  @GuardedBy("lock")
  private final Map<String, Optional<OverlayContent>> files = new HashMap<>();

  @GuardedBy("lock")
  private boolean closed;

  /** Over {@code below}, which stays the caller's to close. */
  public OverlayDisk(Disk below) {
    this.below = below;
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      return new OverlayFile(this, file, content(file).opened());
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private OverlayContent content(String file) throws IOException {
    requireOpen();
    Optional<OverlayContent> known = files.get(file);
    if (known == null) {
      known = Optional.of(OverlayContent.over(below.open(file)));
      files.put(file, known);
    }
    return known.orElseThrow(
        () -> new NoSuchNameException("no file " + file + " on disk " + name()));
  }

  @Override
  public DiskFile create(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      requireOpen();
      if (isThere(file)) {
        throw new NameExistsException("file " + file + " of disk " + name() + " exists");
      }
      OverlayContent made = OverlayContent.empty();
      files.put(file, Optional.of(made));
      return new OverlayFile(this, file, made.opened());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean exists(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      requireOpen();
      return isThere(file);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean isThere(String file) throws IOException {
    Optional<OverlayContent> known = files.get(file);
    return known == null ? below.exists(file) : known.isPresent();
  }

  @Override
  public void delete(String file) throws IOException {
    DiskFileNames.require(file);
    lock.lock();
    try {
      requireOpen();
      files.put(file, Optional.empty());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    DiskFileNames.require(to);
    lock.lock();
    try {
      OverlayContent moved = content(from);
      moved.keep();
      files.put(to, Optional.of(moved));
      files.put(from, Optional.empty());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<String> list() throws IOException {
    lock.lock();
    try {
      requireOpen();
      TreeSet<String> all = new TreeSet<>(below.list());
      files.forEach(
          (name, content) -> {
            if (content.isPresent()) {
              all.add(name);
            } else {
              all.remove(name);
            }
          });
      return List.copyOf(all);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void force() throws IOException { // nothing lasts
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public DiskSpace space() throws IOException {
    return below.space();
  }

  /** A handle was closed: what is as the disk below has it need not be kept. */
  @GuardedBy("lock")
  void released(String file, OverlayContent content) throws IOException {
    if (content.release()) {
      files.remove(file, Optional.of(content));
    }
  }

  @GuardedBy("lock")
  void requireOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "disk " + name() + " is closed");
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      for (Optional<OverlayContent> one : files.values()) {
        if (one.isPresent()) {
          one.get().close();
        }
      }
      files.clear();
    } finally {
      lock.unlock();
    }
  }
}
