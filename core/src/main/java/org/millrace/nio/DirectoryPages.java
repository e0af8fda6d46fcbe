package org.millrace.nio;

import java.io.IOException;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;

/**
 * The names in a directory, asked for page by page. A name that is made or removed meanwhile may be
 * there or not. Used by one thread at a time; closing is idempotent.
 */
final class DirectoryPages implements DirectoryStream<Path> {

  private static final int PAGE = 1000;

  // constant after construction
  private final MillracePath directory;
  private final FilePath inTree;
  private final DirectoryStream.Filter<? super Path> filter;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean begun = new AtomicBoolean();
  private final FileListing first;

  /** Asks for the first page, so that errors are told at once. */
  DirectoryPages(MillracePath directory, DirectoryStream.Filter<? super Path> filter)
      throws IOException {
    this.directory = directory;
    this.inTree = directory.inTree();
    this.filter = filter;
    this.first = page("");
  }

  private FileListing page(String after) throws IOException {
    return directory.fileSystem().call(directory, tree -> tree.list(inTree, after, PAGE));
  }

  @Override
  public Iterator<Path> iterator() {
    if (closed.get()) {
      throw new IllegalStateException("the stream is closed");
    }
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException("the stream has an iterator already");
    }
    return new Names();
  }

  @Override
  public void close() {
    closed.set(true);
  }

  private final class Names implements Iterator<Path> {
    private final Queue<String> read = new ArrayDeque<>();
    private FileListing page = first;
    private String last = "";
    private @Nullable Path next;

    Names() {
      take(first);
    }

    private void take(FileListing taken) {
      page = taken;
      for (FileListing.Entry entry : taken.entries()) {
        read.add(entry.name());
        last = entry.name();
      }
    }

    @Override
    public boolean hasNext() {
      if (!directory.fileSystem().isOpen()) {
        throw new ClosedDirectoryStreamException();
      }
      try {
        while (next == null && !closed.get() && (!read.isEmpty() || page.more())) {
          if (read.isEmpty()) {
            take(page(last));
          } else {
            Path path = directory.resolve(read.remove());
            next = filter.accept(path) ? path : null;
          }
        }
      } catch (IOException e) {
        throw new DirectoryIteratorException(e);
      }
      return next != null;
    }

    @Override
    public Path next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Path found = next;
      next = null;
      if (found == null) {
        throw new NoSuchElementException();
      }
      return found;
    }
  }
}
