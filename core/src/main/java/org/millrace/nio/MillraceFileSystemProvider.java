package org.millrace.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;

/**
 * Files of clusters for {@code java.nio.file}, by URIs such as {@code millrace:/srv/data!/dir/file}
 * or {@code millrace:tls:host:port!/dir/file}. The JDK finds it by itself. A directory whose
 * daemons run is connected to; one without daemons is opened in this JVM.
 *
 * <p>{@link #newFileSystem(URI, Map)} takes {@code nodes} (how many a new cluster in this JVM gets,
 * as text or number; a directory without a cluster is refused without it) and {@code keys} (the
 * folder with the keys for {@code tls:} addresses).
 *
 * <p>Safe for use by several threads.
 */
public final class MillraceFileSystemProvider extends FileSystemProvider {

  private static final int FILE_PERMISSIONS = 0644;
  private static final int DIRECTORY_PERMISSIONS = 0755;

  private final Map<String, MillraceFileSystem> byLocation = new ConcurrentHashMap<>();

  /** For the JDK, which makes one. */
  public MillraceFileSystemProvider() {}

  /**
   * The files of a tree as a file system that no URI finds. Closing it closes the tree.
   *
   * @param name for people, as location of the cluster
   */
  public static FileSystem over(FileTree tree, String name) {
    return new MillraceFileSystem(
        new MillraceFileSystemProvider(), name, tree, () -> {}, Env.real());
  }

  @Override
  public String getScheme() {
    return ClusterUri.SCHEME;
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
    String location = ClusterUri.parse(uri).location();
    if (byLocation.containsKey(location)) {
      throw new FileSystemAlreadyExistsException(location);
    }
    OpenedCluster opened = OpenedCluster.open(location, environment);
    MillraceFileSystem made =
        new MillraceFileSystem(this, location, opened.tree(), opened::close, Env.real());
    if (byLocation.putIfAbsent(location, made) != null) {
      made.close();
      throw new FileSystemAlreadyExistsException(location);
    }
    return made;
  }

  void forget(MillraceFileSystem closed) {
    byLocation.remove(closed.location(), closed);
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    String location = ClusterUri.parse(uri).location();
    MillraceFileSystem found = byLocation.get(location);
    if (found == null) {
      throw new FileSystemNotFoundException(
          "the cluster "
              + location
              + " is not open here; FileSystems.newFileSystem("
              + ClusterUri.SCHEME
              + ":"
              + location
              + ", Map.of()) opens it");
    }
    return found;
  }

  @Override
  public Path getPath(URI uri) {
    return getFileSystem(uri).getPath(ClusterUri.parse(uri).path());
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    NewFile made = NewFile.with(Permissions.initial(FILE_PERMISSIONS, attributes));
    return open(MillracePath.of(path), options, made);
  }

  FileChannel open(MillracePath path, Set<? extends OpenOption> options, NewFile made)
      throws IOException {
    OpenRequest request = OpenRequest.of(options);
    var inTree = request.follow() ? path.inTree() : path.inTree().notFollowing();
    FileHandle handle =
        path.fileSystem()
            .call(
                path,
                tree -> {
                  try {
                    return tree.open(inTree, request.opening(), made);
                  } catch (MillraceException e) {
                    if (e.code() != ErrorCode.IS_DIRECTORY || request.writes()) {
                      throw e;
                    }
                    return new DirectoryHandle(tree.stat(inTree));
                  }
                });
    return path.fileSystem().opened(new MillraceChannel(path, request, handle));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    return new DirectoryPages(MillracePath.of(directory), filter);
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    MillracePath ours = MillracePath.of(directory);
    NewFile made = NewFile.with(Permissions.initial(DIRECTORY_PERMISSIONS, attributes));
    ours.fileSystem().run(ours, tree -> tree.makeDirectory(ours.inTree().notFollowing(), made));
  }

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
      throws IOException {
    MillracePath ours = MillracePath.of(link);
    MillracePath to = MillracePath.of(target);
    NewFile made = NewFile.with(Permissions.initial(0777, attributes));
    ours.fileSystem()
        .run(ours, tree -> tree.makeLink(ours.inTree().notFollowing(), to.toString(), made));
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    MillracePath ours = MillracePath.of(link);
    MillracePath old = MillracePath.of(existing);
    ours.fileSystem().run(ours, tree -> tree.link(old.inTree(), ours.inTree().notFollowing()));
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    MillracePath ours = MillracePath.of(link);
    return ours.fileSystem()
        .call(
            ours,
            tree -> {
              if (tree.stat(ours.inTree().notFollowing()).kind() != FileKind.LINK) {
                throw new NotLinkException(ours.toString());
              }
              return ours.fileSystem().getPath(tree.readLink(ours.inTree().notFollowing()));
            });
  }

  @Override
  public void delete(Path path) throws IOException {
    MillracePath ours = MillracePath.of(path);
    ours.fileSystem()
        .run(ours, tree -> tree.remove(ours.inTree().notFollowing(), FileTree.Removing.EITHER));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    new Copying(MillracePath.of(source), MillracePath.of(target), options).copy();
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    new Copying(MillracePath.of(source), MillracePath.of(target), options).move();
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    if (path.equals(other)) {
      return true;
    }
    if (!(path instanceof MillracePath one)
        || !(other instanceof MillracePath two)
        || one.fileSystem() != two.fileSystem()) {
      return false;
    }
    long first = one.fileSystem().call(one, tree -> tree.stat(one.inTree())).id();
    return first == two.fileSystem().call(two, tree -> tree.stat(two.inTree())).id();
  }

  @Override
  public boolean isHidden(Path path) {
    MillracePath ours = MillracePath.of(path);
    ours.fileSystem().tree();
    Path name = ours.getFileName();
    return name != null && name.toString().startsWith(".");
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    MillracePath ours = MillracePath.of(path);
    ours.fileSystem().run(ours, tree -> tree.stat(ours.inTree()));
    return ours.fileSystem().store();
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    MillracePath ours = MillracePath.of(path);
    FileStatus status = ours.fileSystem().call(ours, tree -> tree.stat(ours.inTree()));
    for (AccessMode mode : modes) {
      switch (mode) {
        case READ -> tryReading(ours, status);
        case WRITE -> tryWriting(ours, status);
        case EXECUTE -> {
          if ((status.permissions() & 0111) == 0) {
            throw new AccessDeniedException(path.toString(), null, "it is not executable");
          }
        }
      }
    }
  }

  /** Whether it can be read is for the cluster to say, so it is tried. */
  private static void tryReading(MillracePath path, FileStatus status) throws IOException {
    path.fileSystem()
        .run(
            path,
            tree -> {
              switch (status.kind()) {
                case FILE ->
                    tree.open(path.inTree(), Set.of(FileTree.Opening.READ), NewFile.with(0))
                        .close();
                case DIRECTORY -> tree.list(path.inTree(), "", 1);
                default -> {}
              }
            });
  }

  private static void tryWriting(MillracePath path, FileStatus status) throws IOException {
    if (status.kind() == FileKind.FILE) {
      path.fileSystem()
          .run(
              path,
              tree ->
                  tree.open(path.inTree(), Set.of(FileTree.Opening.WRITE), NewFile.with(0))
                      .close());
    } else if ((status.permissions() & 0222) == 0) {
      throw new AccessDeniedException(path.toString(), null, "nobody may write to it");
    }
  }

  @Override
  @SuppressWarnings("exports") // an annotation for compilers
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    MillracePath ours = MillracePath.of(path);
    ours.fileSystem().tree();
    return Views.of(ours, type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
      throw new UnsupportedOperationException("attributes as " + type.getName());
    }
    return type.cast(new Views.Posix(MillracePath.of(path), options).readAttributes());
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return NamedAttributes.read(MillracePath.of(path), attributes, options);
  }

  @Override
  @SuppressWarnings("exports") // as above
  public void setAttribute(
      Path path, String attribute, @Nullable Object value, LinkOption... options)
      throws IOException {
    NamedAttributes.set(MillracePath.of(path), attribute, value, options);
  }
}
