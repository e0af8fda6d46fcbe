package org.millrace.nio;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;

/** Copies and moves between paths of this provider. Used by one thread. */
final class Copying {

  private final MillracePath from;
  private final MillracePath to;
  private final Set<CopyOption> options = new HashSet<>();

  Copying(MillracePath from, MillracePath to, CopyOption... given) {
    this.from = from;
    this.to = to;
    for (CopyOption one : given) {
      if (!(one instanceof StandardCopyOption) && one != LinkOption.NOFOLLOW_LINKS) {
        throw one == null
            ? new NullPointerException("an option is null")
            : new UnsupportedOperationException("option " + one + " of copying or moving");
      }
      options.add(one);
    }
  }

  private boolean replaces() {
    return options.contains(StandardCopyOption.REPLACE_EXISTING);
  }

  private FileStatus source(boolean follow) throws IOException {
    FilePath path = follow ? from.inTree() : from.inTree().notFollowing();
    return from.fileSystem().call(from, tree -> tree.stat(path));
  }

  private FilePath target() {
    return to.inTree().notFollowing();
  }

  /** Whether both are the same file. */
  private boolean isSame(FileStatus source) throws IOException {
    if (from.fileSystem() != to.fileSystem()) {
      return false;
    }
    try {
      return to.fileSystem().call(to, tree -> tree.stat(target())).id() == source.id();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  void copy() throws IOException {
    if (options.contains(StandardCopyOption.ATOMIC_MOVE)) {
      throw new UnsupportedOperationException("a copy cannot be atomic");
    }
    if (from.equals(to)) {
      return;
    }
    FileStatus source = source(!options.contains(LinkOption.NOFOLLOW_LINKS));
    if (!isSame(source)) {
      copy(source, options.contains(StandardCopyOption.COPY_ATTRIBUTES));
    }
  }

  private void copy(FileStatus source, boolean attributes) throws IOException {
    makeRoom();
    NewFile usual = NewFile.with(source.permissions());
    switch (source.kind()) {
      case FILE -> copyBytes(source);
      case DIRECTORY -> to.fileSystem().run(to, tree -> tree.makeDirectory(target(), usual));
      case LINK -> {
        String text =
            from.fileSystem().call(from, tree -> tree.readLink(from.inTree().notFollowing()));
        to.fileSystem().run(to, tree -> tree.makeLink(target(), text, NewFile.with(0777)));
      }
      default ->
          to.fileSystem()
              .run(to, tree -> tree.makeSpecial(target(), source.kind(), source.device(), usual));
    }
    if (attributes) {
      FileChange change =
          FileChange.NONE
              .withAccessed(source.times().accessed())
              .withModified(source.times().modified());
      FileChange all =
          source.kind() == FileKind.LINK ? change : change.withPermissions(source.permissions());
      to.fileSystem().run(to, tree -> tree.change(target(), all));
    }
  }

  private void copyBytes(FileStatus source) throws IOException {
    MillraceFileSystemProvider provider = from.fileSystem().ourProvider();
    NewFile made = NewFile.with(source.permissions() & 0777);
    try (FileChannel in = provider.open(from, Set.of(StandardOpenOption.READ), made);
        FileChannel out =
            provider.open(
                to, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), made)) {
      long done = 0;
      long moved = 1;
      while (moved > 0) {
        moved = in.transferTo(done, Long.MAX_VALUE - done, out);
        done += moved;
      }
    }
  }

  private void makeRoom() throws IOException {
    if (replaces()) {
      try {
        to.fileSystem().run(to, tree -> tree.remove(target(), Removing.EITHER));
      } catch (NoSuchFileException e) {
        // then there is room
      }
    } else {
      try {
        to.fileSystem().run(to, tree -> tree.stat(target()));
      } catch (NoSuchFileException e) {
        return;
      }
      throw new FileAlreadyExistsException(to.toString());
    }
  }

  void move() throws IOException {
    boolean atomic = options.contains(StandardCopyOption.ATOMIC_MOVE);
    if (from.fileSystem() != to.fileSystem()) {
      if (atomic) {
        throw new AtomicMoveNotSupportedException(
            from.toString(), to.toString(), "they are in different clusters");
      }
      FileStatus source = source(false);
      if (source.kind() == FileKind.DIRECTORY) {
        from.fileSystem().run(from, tree -> checkEmpty(tree.list(from.inTree(), "", 1)));
      }
      copy(source, true);
      from.fileSystem()
          .run(from, tree -> tree.remove(from.inTree().notFollowing(), Removing.EITHER));
    } else if (!isSame(source(false))) {
      rename(atomic || replaces() ? Replacing.REPLACE : Replacing.NEVER, atomic);
    } else if (!from.toAbsolutePath().normalize().equals(to.toAbsolutePath().normalize())) {
      rename(Replacing.REPLACE, atomic);
    }
  }

  private void checkEmpty(FileListing listing) throws MillraceException {
    if (!listing.entries().isEmpty()) {
      throw new MillraceException(ErrorCode.NOT_EMPTY, from + " is not empty");
    }
  }

  private void rename(Replacing replacing, boolean atomic) throws IOException {
    FilePath source = from.inTree().notFollowing();
    FileTree tree = from.fileSystem().tree();
    try {
      try {
        tree.rename(source, target(), replacing);
      } catch (MillraceException e) {
        boolean kinds = e.code() == ErrorCode.IS_DIRECTORY || e.code() == ErrorCode.NOT_A_DIRECTORY;
        if (atomic || !kinds || replacing == Replacing.NEVER) {
          throw e;
        } // a file takes the place of an empty directory, or the other way round
        tree.remove(target(), Removing.EITHER);
        tree.rename(source, target(), Replacing.NEVER);
      }
    } catch (MillraceException e) {
      boolean targets =
          switch (e.code()) {
            case NAME_EXISTS, NOT_EMPTY, IS_DIRECTORY -> true;
            default -> false;
          };
      throw Errors.of((targets ? to : from).toString(), e);
    }
  }
}
