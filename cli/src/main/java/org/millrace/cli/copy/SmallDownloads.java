package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/**
 * Gets small files from a cluster, as {@link Downloads} does: each goes to a file whose name ends
 * in {@code .part}, which is renamed when it is complete, durable and verified.
 *
 * <p>Used by one thread, which starts others.
 */
public final class SmallDownloads {

  private static final Set<Opening> OLD = EnumSet.of(Opening.READ);

  /** Of a file that is there, nothing is set. */
  private static final NewFile NOTHING_NEW = NewFile.with(0);

  /** Names that are asked for at a time. */
  private static final int PAGE = 1000;

  // constant after construction
  private final FileCopier courier;
  private final boolean replace;
  private final boolean verify;
  private final CopiesOutcome outcome;

  /** Downloads of one command. */
  public SmallDownloads(
      FileCopier courier, boolean replace, boolean verify, CopiesOutcome outcome) {
    this.courier = courier;
    this.replace = replace;
    this.verify = verify;
    this.outcome = outcome;
  }

  /** Gets all files. If one fails, no other is begun. */
  public void get(SmallFiles files, List<Downloads.Wanted> wanted) throws IOException {
    files.run(wanted, this::getOne);
  }

  private void getOne(FileTree tree, Downloads.Wanted wanted) throws IOException {
    courier.checkGoesOn();
    PartFile.make(
        wanted.target(),
        replace,
        part -> {
          try (Arena arena = Arena.ofConfined()) {
            write(read(tree, wanted, arena), part, wanted.target());
          }
          return wanted.permissions();
        });
    outcome.done();
  }

  /**
   * All of a file. Its size is asked for: in a list, strands that cannot be opened count as empty,
   * and the file may have grown since.
   */
  private MemorySegment read(FileTree tree, Downloads.Wanted wanted, Arena arena)
      throws IOException {
    try (FileHandle file = tree.open(FilePath.of(wanted.path()), OLD, NOTHING_NEW)) {
      long size = file.size();
      if (size > SmallFiles.MOST_BYTES) {
        throw new MillraceException(
            ErrorCode.DISK, FilePaths.shown(wanted.path()) + " became longer meanwhile; try again");
      }
      MemorySegment memory = arena.allocate(size, Long.BYTES);
      MemorySegment bytes = memory.asSlice(0, file.read(0, memory));
      courier.advance(bytes.byteSize());
      return bytes;
    }
  }

  private void write(MemorySegment bytes, Path part, Path target) throws IOException {
    try (FileChannel out =
        FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      List<FileCopier.Run> runs = FileCopier.dataIn(bytes);
      for (FileCopier.Run run : runs) {
        FileCopier.writeAll(out::write, run.from(), bytes.asSlice(run.from(), run.length()));
      }
      if ((runs.isEmpty() ? 0 : runs.getLast().to()) < bytes.byteSize()) {
        out.write(ByteBuffer.allocate(1), bytes.byteSize() - 1); // it ends with a hole
      }
      out.force(true);
      if (verify) {
        FileCopier.compare(target.toString(), FileCopier.load(bytes), arrived(out));
        courier.advance(bytes.byteSize());
      }
    }
  }

  private static FileCopier.Load arrived(FileChannel out) throws IOException {
    long size = out.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(Math.max(1, size), Long.BYTES);
      return new FileCopier.Load(size, FileCopier.sumOf(out, 0, size, buffer));
    }
  }

  /** What is in a directory, with all sizes, in a few requests. */
  public static List<Downloads.Child> children(FileTree tree, String directory) throws IOException {
    List<Downloads.Child> children = new ArrayList<>();
    String last = "";
    boolean more = true;
    while (more) {
      FileListing page = tree.list(FilePath.of(directory), last, PAGE);
      for (FileListing.Entry entry : page.entries()) {
        last = entry.name();
        children.add(child(tree, directory, entry));
      }
      more = page.more();
    }
    return children;
  }

  private static Downloads.Child child(FileTree tree, String directory, FileListing.Entry entry)
      throws IOException {
    String path = FilePaths.in(directory, entry.name());
    FileStatus status = entry.status();
    if (status.kind() == FileKind.LINK) {
      status = tree.stat(FilePath.of(path));
    } else if (status.kind() == FileKind.DIRECTORY) {
      return new Downloads.Child(entry.name(), true, 0, 0);
    }
    if (status.kind() != FileKind.FILE) { // a link to a directory may lead back to where we are
      throw new MillraceException(
          ErrorCode.WRONG_KIND, FilePaths.shown(path) + " is neither a file nor a directory");
    }
    int mode = status.permissions() & 0777; // what this side can keep
    return new Downloads.Child(entry.name(), false, status.size(), mode);
  }
}
