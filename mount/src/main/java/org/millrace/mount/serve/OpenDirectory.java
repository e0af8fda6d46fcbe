package org.millrace.mount.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;

/**
 * A directory that the kernel has open: a part of its names, and where each part began, so that
 * reading can go on behind any entry. An entry's number counts from 0 and includes {@code .} and
 * {@code ..}; while reading goes forward, names that come and go do not move others.
 *
 * <p>Safe for use by several threads.
 */
final class OpenDirectory {

  /** Entries that are asked for at once. */
  private static final int MOST = 1024;

  private static final int DOTS = 2;

  // Constant after construction.
  private final FileTree tree;
  private final long id;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * A part that was read once.
   *
   * @param before the name before its first
   * @param start the index of its first entry
   */
  private record Part(String before, long start) {}

  @GuardedBy("lock")
  private final List<Part> parts = new ArrayList<>();

  /** Which part {@code names} is; none if negative. */
  @GuardedBy("lock")
  private int part = -1;

  @GuardedBy("lock")
  private FileListing names = new FileListing(List.of(), false);

  OpenDirectory(FileTree tree, long id) {
    this.tree = tree;
    this.id = id;
    parts.add(new Part("", 0));
  }

  long id() {
    return id;
  }

  /** The entry of a number, behind the two dots; null behind the last. */
  FileListing.@Nullable Entry entry(long number) throws IOException {
    lock.lock();
    try {
      long index = number - DOTS;
      if (part < 0 || index < parts.get(part).start()) {
        fetch(partOf(index));
      }
      while (index - parts.get(part).start() >= names.entries().size()) {
        if (!names.more()) {
          return null;
        }
        fetch(part + 1);
      }
      return names.entries().get((int) (index - parts.get(part).start()));
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what was read: names are read again from the first. */
  void rewind() {
    lock.lock();
    try {
      part = -1;
      parts.subList(1, parts.size()).clear();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int partOf(long index) {
    int number = parts.size() - 1;
    while (parts.get(number).start() > index) {
      number--;
    }
    return number;
  }

  @GuardedBy("lock")
  private void fetch(int number) throws IOException {
    Part wanted = parts.get(number);
    names = tree.list(FilePath.of(id), wanted.before(), MOST);
    part = number;
    int size = names.entries().size();
    if (names.more() && parts.size() == number + 1) {
      parts.add(new Part(names.entries().getLast().name(), wanted.start() + size));
    }
  }
}
