package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.NameExistsException;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;

/**
 * Copies files of a cluster to other names of it. Each is written under a temporary name, with the
 * layout and the permissions of its source, and renamed when it is complete, durable and verified:
 * the nodes of both compare checksums. Holes stay holes. Used by the rank's thread.
 */
public final class CopyInside {

  /** What the nodes are asked about at a time, so that an interrupt is noticed. */
  private static final long SUM_BYTES = 64L << 20;

  // constant after construction
  private final Rank rank;
  private final FileNames names;
  private final CopyRun run;
  private final boolean replace;

  /** Copies of one command. */
  public CopyInside(Rank rank, CopyRun run, boolean replace) {
    this.rank = rank;
    this.names = rank.names();
    this.run = run;
    this.replace = replace;
  }

  /**
   * A file to be copied.
   *
   * @param bytes its size
   */
  public record Wanted(String from, String to, long bytes) {}

  /** Copies one file. */
  public void copy(Wanted wanted) throws IOException {
    FileEntry entry =
        FilePaths.requireFile(names, wanted.from, "; -r copies it with all that is in it");
    String to = wanted.to;
    if (FilePaths.find(names, to).isPresent()) {
      FilePaths.requireFile(names, to, ", and a file cannot take its place");
      if (!replace) {
        throw new NameExistsException(FilePaths.shown(to) + " exists; -f replaces it");
      }
    }
    String waiting = FilePaths.beside(to, ".put-" + UUID.randomUUID());
    try {
      fill(entry, wanted.from, waiting);
      if (replace) {
        names.replace(waiting, to);
      } else {
        names.rename(waiting, to);
      }
    } catch (IOException | RuntimeException e) {
      removeAfter(waiting, e);
      throw e;
    }
  }

  private void fill(FileEntry entry, String source, String waiting) throws IOException {
    Layout layout = entry.layout().orElseThrow();
    OpenOptions how =
        OpenOptions.create()
            .withExclusive()
            .withStripeUnit(layout.stripeUnitBytes())
            .withBlockSize(layout.blockBytes())
            .withPermissions(
                entry.permissions() & 0777 | 0600); // the owner must be able to fill it
    try (SharedFile from = rank.alone().open(source, OpenOptions.read());
        SharedFile to = rank.alone().open(waiting, how)) {
      long size = from.size();
      write(from, to, size);
      to.resize(size);
      to.flush();
      compare(source, from, to, size);
    }
    if ((entry.permissions() & 0600) != 0600) {
      names.setPermissions(waiting, entry.permissions());
    }
  }

  private void write(SharedFile from, SharedFile to, long size) throws IOException {
    try (ReadAhead ahead = new ReadAhead(from, FileCopier.pieceBytes(size))) {
      long at = skip(from, 0, size);
      while (at < size) {
        run.checkGoesOn();
        MemorySegment bytes = ahead.read(at);
        if (bytes.byteSize() == 0) {
          return; // cut meanwhile
        }
        to.at(at).write(bytes);
        run.advance(bytes.byteSize());
        at = skip(from, at + bytes.byteSize(), size);
      }
    }
  }

  /** The nodes read what they have stored, and nothing comes here. */
  private void compare(String source, SharedFile from, SharedFile to, long size)
      throws IOException {
    for (long at = skip(from, 0, size); at < size; ) {
      run.checkGoesOn();
      long length = Math.min(SUM_BYTES, size - at);
      if (from.checksum(at, length) != to.checksum(at, length)) {
        throw new CorruptBlockException(
            "the copy of %s differs between bytes %s and %s: somebody writes to it, or it is damaged; nothing was kept"
                .formatted(FilePaths.shown(source), at, at + length));
      }
      run.advance(length);
      at = skip(from, at + length, size);
    }
  }

  /** Where the next bytes are that are not a hole. */
  private long skip(SharedFile from, long at, long size) throws IOException {
    long next = at < size ? Math.min(size, from.nextData(at)) : size;
    run.advance(next - at);
    return next;
  }

  private void removeAfter(String waiting, Exception e) {
    try {
      if (FilePaths.find(names, waiting).isPresent()) {
        names.remove(waiting);
      }
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
  }

  /** Makes the directories of a tree, and adds its files to {@code wanted}. */
  public static void addTree(FileNames names, String from, String to, List<Wanted> wanted)
      throws IOException {
    if (!FilePaths.isDirectory(names, to)) {
      names.makeDirectory(to);
    }
    for (String name : names.list(from)) {
      String plain = FilePaths.of(name);
      String source = FilePaths.in(from, plain);
      String target = FilePaths.in(to, plain);
      if (name.endsWith("/")) {
        addTree(names, source, target, wanted);
      } else {
        wanted.add(new Wanted(source, target, names.size(source)));
      }
    }
  }
}
