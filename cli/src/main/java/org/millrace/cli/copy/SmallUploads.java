package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;

/**
 * Puts small files into a cluster. As with {@link Uploads} each is written under a temporary name
 * and renamed when it is complete, durable and verified. So whenever it ends, every name stands for
 * the whole old file or for the whole new one.
 *
 * <p>Every message of a small file costs more than its bytes, so files go in batches:
 *
 * <pre>
 *   of each file, many at a time:  make, write, force, read back and compare
 *   of the batch:                  list the temporary names: all are as long as they should be
 *   of each file, many at a time:  rename
 * </pre>
 *
 * <p>Used by one thread, which starts others.
 */
public final class SmallUploads {

  /** What an interrupted command has to take away at most. */
  private static final int BATCH = 512;

  private static final Set<Opening> NEW =
      EnumSet.of(Opening.READ, Opening.WRITE, Opening.EXCLUSIVE);

  // constant after construction
  private final FileCopier courier;
  private final boolean replace;
  private final boolean verify;
  private final CopiesOutcome outcome;

  /** Temporary names begin with this, and follow one another in a sorted list. */
  private final String prefix = ".put-" + UUID.randomUUID() + "-";

  /** Uploads of one command. */
  public SmallUploads(FileCopier courier, boolean replace, boolean verify, CopiesOutcome outcome) {
    this.courier = courier;
    this.replace = replace;
    this.verify = verify;
    this.outcome = outcome;
  }

  /**
   * A file under its temporary name.
   *
   * @param waiting the path that it has
   * @param path the path that it will have
   * @param bytes how many it has
   */
  private record Written(String waiting, String path, long bytes) {}

  /** Puts all files. If one fails, those of its batch and of later ones are left out. */
  public void put(SmallFiles files, List<Uploads.Wanted> wanted) throws IOException {
    for (int from = 0; from < wanted.size(); from += BATCH) {
      putBatch(files, wanted.subList(from, Math.min(wanted.size(), from + BATCH)));
    }
  }

  private void putBatch(SmallFiles files, List<Uploads.Wanted> wanted) throws IOException {
    Queue<String> made = new ConcurrentLinkedQueue<>(); // temporary names
    try {
      Queue<Written> written = new ConcurrentLinkedQueue<>();
      AtomicInteger number = new AtomicInteger();
      files.run(
          wanted,
          (tree, one) -> {
            courier.checkGoesOn();
            if (one.isTaken()) {
              checkReplaceable(tree, one.path());
            }
            String name = prefix + number.getAndIncrement();
            String waiting = FilePaths.beside(one.path(), name);
            made.add(waiting);
            written.add(write(tree, one, waiting));
          });
      if (verify) {
        checkSizes(files.tree(), written);
      }
      files.run(
          List.copyOf(written),
          (tree, one) -> {
            courier.checkGoesOn();
            tree.rename(
                FilePath.of(one.waiting),
                FilePath.of(one.path).notFollowing(),
                replace ? Replacing.REPLACE : Replacing.NEVER);
            outcome.done();
          });
    } catch (IOException | RuntimeException e) {
      removeAfter(files, List.copyOf(made), e);
      throw e;
    }
  }

  private Written write(FileTree tree, Uploads.Wanted wanted, String waiting) throws IOException {
    NewFile attributes = NewFile.with(Uploads.mode(wanted.source()));
    try (Arena arena = Arena.ofConfined();
        FileChannel in = FileChannel.open(wanted.source());
        FileHandle file = tree.open(FilePath.of(waiting), NEW, attributes)) {
      MemorySegment bytes = read(in, arena, wanted.source());
      write(file, bytes, FilePaths.shown(wanted.path()));
      return new Written(waiting, wanted.path(), bytes.byteSize());
    }
  }

  private void checkReplaceable(FileTree tree, String path) throws IOException {
    if (tree.stat(FilePath.of(path).notFollowing()).kind() == FileKind.DIRECTORY) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(path) + " is a directory, and a file cannot take its place");
    }
    if (!replace) {
      throw new NameExistsException(FilePaths.shown(path) + " exists; -f replaces it");
    }
  }

  /** All of a file, which may have grown since it was found to be small. */
  private static MemorySegment read(FileChannel in, Arena arena, Path source) throws IOException {
    long size = in.size();
    if (size <= SmallFiles.MOST_BYTES) {
      MemorySegment memory = arena.allocate(size + 1, Long.BYTES); // one more to see the end
      ByteBuffer all = memory.asByteBuffer();
      while (all.hasRemaining()) {
        if (in.read(all) < 0) {
          return memory.asSlice(0, all.position());
        }
      }
    }
    throw new MillraceException(
        ErrorCode.DISK, source + " became longer while it was read; try again");
  }

  private void write(FileHandle file, MemorySegment bytes, String what) throws IOException {
    List<FileCopier.Run> runs = FileCopier.dataIn(bytes);
    for (FileCopier.Run run : runs) {
      file.write(run.from(), bytes.asSlice(run.from(), run.length()));
    }
    if ((runs.isEmpty() ? 0 : runs.getLast().to()) < bytes.byteSize()) {
      file.resize(bytes.byteSize()); // it ends with a hole
    }
    courier.advance(bytes.byteSize());
    file.force(0, bytes.byteSize());
    if (verify) {
      FileCopier.compare(what, FileCopier.load(bytes), arrived(file, bytes.byteSize()));
      courier.advance(bytes.byteSize());
    }
  }

  /** What the nodes have where bytes were written. */
  private static FileCopier.Load arrived(FileHandle file, long size) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(size, Long.BYTES);
      return FileCopier.load(memory.asSlice(0, file.read(0, memory)));
    }
  }

  /** Fails if a file has not the length that it should have. */
  private void checkSizes(FileTree tree, Queue<Written> written) throws IOException {
    Map<String, Map<String, Written>> byDirectory = new HashMap<>();
    for (Written one : written) {
      byDirectory
          .computeIfAbsent(FilePaths.beside(one.path, ""), _ -> new HashMap<>())
          .put(FilePaths.name(one.waiting), one);
    }
    for (Map.Entry<String, Map<String, Written>> one : byDirectory.entrySet()) {
      checkSizes(tree, FilePath.of(FilePaths.of(one.getKey())), one.getValue());
    }
  }

  private void checkSizes(FileTree tree, FilePath directory, Map<String, Written> expected)
      throws IOException {
    String last = prefix;
    boolean more = true;
    while (more && !expected.isEmpty()) {
      FileListing page = tree.list(directory, last, expected.size());
      for (FileListing.Entry found : page.entries()) {
        last = found.name();
        Written is = expected.remove(last);
        if (is != null && is.bytes != found.status().size()) {
          throw new CorruptBlockException(
              "%s is damaged: %s bytes were sent, %s arrived; nothing was kept, try again"
                  .formatted(FilePaths.shown(is.path), is.bytes, found.status().size()));
        }
      }
      more = page.more();
    }
    if (!expected.isEmpty()) {
      throw new NoSuchNameException(
          "somebody has removed " + expected.values().iterator().next().waiting);
    }
  }

  private static void removeAfter(SmallFiles files, List<String> made, Exception e) {
    try {
      files.run(
          made,
          (tree, waiting) -> {
            try {
              tree.remove(FilePath.of(waiting), Removing.FILE);
            } catch (NoSuchNameException _) {
              return; // it did not come so far, or has its own name already
            }
          });
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
  }
}
