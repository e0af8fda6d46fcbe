package org.millrace.nio;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileChange;

/** The views of a file's attributes that there are. Stateless. */
final class Views {

  private Views() {}

  static boolean isKnown(Class<? extends FileAttributeView> type) {
    return type == BasicFileAttributeView.class
        || type == PosixFileAttributeView.class
        || type == FileOwnerAttributeView.class
        || type == UserDefinedFileAttributeView.class;
  }

  /** The view of this type; null if there is none, as {@code java.nio.file} has it. */
  static <V extends FileAttributeView> @Nullable V of(
      MillracePath path, Class<V> type, LinkOption... options) {
    if (!isKnown(type)) {
      return null;
    }
    return type.cast(
        type == UserDefinedFileAttributeView.class
            ? new UserAttributes(path, options)
            : type == BasicFileAttributeView.class
                ? new Basic(new Posix(path, options))
                : type == FileOwnerAttributeView.class
                    ? new Owner(new Posix(path, options))
                    : new Posix(path, options));
  }

  /** Basic attributes alone, whose name is theirs. */
  private record Basic(Posix posix) implements BasicFileAttributeView {
    @Override
    public String name() {
      return "basic";
    }

    @Override
    public PosixFileAttributes readAttributes() throws IOException {
      return posix.readAttributes();
    }

    @Override
    public void setTimes(
        @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
        throws IOException {
      posix.setTimes(modified, accessed, created);
    }
  }

  /** The owner alone. */
  private record Owner(Posix posix) implements FileOwnerAttributeView {
    @Override
    public String name() {
      return "owner";
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
      return posix.getOwner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
      posix.setOwner(owner);
    }
  }

  /** All attributes but those that users define. */
  static final class Posix implements PosixFileAttributeView {
    private final MillracePath path;
    private final LinkOption[] options;

    Posix(MillracePath path, LinkOption... options) {
      this.path = path;
      this.options = options.clone();
    }

    @Override
    public String name() {
      return "posix";
    }

    @Override
    public StatusAttributes readAttributes() throws IOException {
      return new StatusAttributes(
          path.fileSystem().call(path, tree -> tree.stat(path.inTree(options))));
    }

    private void change(FileChange change) throws IOException {
      path.fileSystem().run(path, tree -> tree.change(path.inTree(options), change));
    }

    @Override
    public void setTimes(
        @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
        throws IOException {
      FileChange change = FileChange.NONE;
      if (modified != null) {
        change = change.withModified(StatusAttributes.nanos(modified));
      }
      if (accessed != null) {
        change = change.withAccessed(StatusAttributes.nanos(accessed));
      }
      if (!change.equals(FileChange.NONE)) { // when it was made cannot be changed
        change(change);
      }
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
      return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
      change(FileChange.NONE.withOwner(owner.getName()));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
      change(FileChange.NONE.withGroup(group.getName()));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
      int before = readAttributes().status().permissions();
      change(FileChange.NONE.withPermissions(Permissions.with(before, permissions)));
    }

    void setMode(int mode) throws IOException {
      change(FileChange.NONE.withPermissions(mode & 07777));
    }
  }
}
