package org.millrace.hadoop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FileSpace;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/**
 * Files of a cluster for programs of Hadoop, by URIs such as {@code millrace://NAME/path}. Hadoop
 * finds it by itself. Which cluster a URI means is said by the configuration: {@code
 * fs.millrace.cluster.NAME.location} is a directory or the address of a coordinator.
 *
 * <p>Renames are one step. Written bytes are visible to all when a stream is flushed or closed, and
 * durable when {@code hsync} returns. The caller is whom the cluster takes this process for, not
 * Hadoop's user. Concatenation, links and checksums of files are not offered.
 *
 * <p>Safe for use by several threads. Closing is idempotent; the cluster is closed with the last
 * file system of this JVM that uses it.
 */
public final class MillraceFileSystem extends FileSystem {

  static final String SCHEME = "millrace";

  private static final String BLOCK_BYTES = "fs.millrace.block.bytes";
  private static final long DEFAULT_BLOCK_BYTES = 32L << 20;

  // constant after initialize
  private @Nullable URI uri;
  private String here = "localhost";

  // set by initialize, taken by close
  private final AtomicReference<@Nullable OpenCluster> cluster = new AtomicReference<>();

  // of the program that uses this file system, as Hadoop has it
  private volatile Path workingDirectory = new Path("/");

  /** For Hadoop, which makes one and calls {@link #initialize}. */
  public MillraceFileSystem() {}

  /** Something that is done with the files. */
  interface Call<T> {
    /** Does it. */
    T with(FileTree tree) throws IOException;
  }

  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    super.initialize(name, configuration);
    setConf(configuration);
    String authority = name.getAuthority();
    uri = URI.create(SCHEME + "://" + (authority == null ? "/" : authority));
    here = InetAddress.getLocalHost().getHostName();
    workingDirectory = getHomeDirectory();
    cluster.set(OpenClusters.OF_THIS_JVM.take(ClusterSettings.of(name, configuration)));
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    if (uri == null) {
      throw new IllegalStateException("the file system was not initialized");
    }
    return uri;
  }

  /** There are no tokens: who the caller is, the connection to the cluster says. */
  @Override
  @SuppressWarnings("NullAway") // null is Hadoop's word for none
  public @Nullable String getCanonicalServiceName() {
    return null;
  }

  private FileTree tree() throws IOException {
    OpenCluster open = cluster.get();
    if (open == null) {
      throw new IOException("the file system " + uri + " is closed");
    }
    return open.tree();
  }

  /** Does something at a path; errors are those of a search. */
  private <T> T at(Path path, Call<T> call) throws IOException {
    FileTree tree = tree();
    try {
      return call.with(tree);
    } catch (MillraceException e) {
      throw Errors.of(path, e);
    }
  }

  private Path absolute(Path path) {
    return makeQualified(path);
  }

  private int masked(FsPermission permission) {
    return permission.applyUMask(FsPermission.getUMask(getConf())).toShort();
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    statistics.incrementReadOps(1);
    Path file = absolute(path);
    FileHandle handle =
        at(file, tree -> tree.open(Names.inTree(file), Set.of(Opening.READ), NewFile.with(0)));
    return new FSDataInputStream(new OpenInput(handle, ReadCounts.of(statistics)));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferBytes,
      short replication,
      long blockBytes,
      @Nullable Progressable progress)
      throws IOException {
    return create(path, permission, overwrite, true);
  }

  @Override
  @SuppressWarnings("deprecation") // only the method itself: programs still call it
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferBytes,
      short replication,
      long blockBytes,
      @Nullable Progressable progress)
      throws IOException {
    if (flags.contains(CreateFlag.APPEND) && exists(path)) {
      return append(path, bufferBytes, progress);
    }
    return create(path, permission, flags.contains(CreateFlag.OVERWRITE), false);
  }

  private FSDataOutputStream create(
      Path path, FsPermission permission, boolean overwrite, boolean parents) throws IOException {
    statistics.incrementWriteOps(1);
    Path file = absolute(path);
    FileTree tree = tree();
    Set<Opening> how =
        overwrite
            ? Set.of(Opening.WRITE, Opening.CREATE, Opening.TRUNCATE)
            : Set.of(Opening.WRITE, Opening.EXCLUSIVE);
    NewFile attributes = NewFile.with(masked(permission));
    try {
      FileHandle handle;
      try {
        handle = tree.open(Names.inTree(file), how, attributes);
      } catch (MillraceException e) {
        Path parent = file.getParent();
        if (e.code() != ErrorCode.NO_SUCH_NAME || !parents || parent == null) {
          throw e;
        }
        new Names(tree).makeAll(parent, NewFile.with(masked(FsPermission.getDirDefault())));
        handle = tree.open(Names.inTree(file), how, attributes);
      }
      return new FSDataOutputStream(new OpenOutput(handle, false), statistics);
    } catch (MillraceException e) {
      throw Errors.ofMaking(file, e);
    }
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferBytes, @Nullable Progressable progress)
      throws IOException {
    statistics.incrementWriteOps(1);
    Path file = absolute(path);
    return at(
        file,
        tree -> {
          var handle = tree.open(Names.inTree(file), Set.of(Opening.WRITE), NewFile.with(0));
          return new FSDataOutputStream(new OpenOutput(handle, true), statistics, handle.size());
        });
  }

  @Override
  public boolean truncate(Path path, long length) throws IOException {
    statistics.incrementWriteOps(1);
    Path file = absolute(path);
    long size = getFileStatus(file).getLen();
    if (length < 0 || length > size) {
      throw new IllegalArgumentException(
          "%s cannot be cut to %s bytes, it has %s".formatted(file, length, size));
    }
    at(file, tree -> tree.change(Names.inTree(file), FileChange.NONE.withSize(length)));
    return true;
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    statistics.incrementWriteOps(1);
    return new Renaming(tree(), absolute(from), absolute(to)).inHdfsWay();
  }

  @Override
  @SuppressWarnings("deprecation") // FileContext calls it
  protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
    renameWithExceptions(from, to, Arrays.asList(options).contains(Options.Rename.OVERWRITE));
  }

  void renameWithExceptions(Path from, Path to, boolean overwrite) throws IOException {
    statistics.incrementWriteOps(1);
    new Renaming(tree(), absolute(from), absolute(to)).withExceptions(overwrite);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    statistics.incrementWriteOps(1);
    Path file = absolute(path);
    return at(file, tree -> new Names(tree).remove(file, recursive));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    statistics.incrementWriteOps(1);
    Path directory = absolute(path);
    FileTree tree = tree();
    try {
      new Names(tree).makeAll(directory, NewFile.with(masked(permission)));
      return true;
    } catch (MillraceException e) {
      throw Errors.ofMaking(directory, e);
    }
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    statistics.incrementReadOps(1);
    Path directory = absolute(path);
    FileTree tree = tree();
    List<FileListing.Entry> entries;
    try {
      entries = new Names(tree).list(directory);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NOT_A_DIRECTORY) {
        throw Errors.of(directory, e);
      }
      return new FileStatus[] {getFileStatus(directory)};
    }
    return entries.stream()
        .map(entry -> status(new Path(directory, entry.name()), entry.status()))
        .toArray(FileStatus[]::new);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    statistics.incrementReadOps(1);
    Path file = absolute(path);
    return status(file, at(file, tree -> tree.stat(Names.inTree(file))));
  }

  private FileStatus status(Path path, org.millrace.files.FileStatus status) {
    boolean directory = status.kind() == FileKind.DIRECTORY;
    return new FileStatus(
        directory ? 0 : status.size(),
        directory,
        directory ? 0 : 1,
        directory ? 0 : getDefaultBlockSize(path),
        Math.floorDiv(status.times().modified(), 1_000_000L),
        Math.floorDiv(status.times().accessed(), 1_000_000L),
        new FsPermission((short) (status.permissions() & 01777)),
        status.owner(),
        status.group(),
        path);
  }

  @Override
  @SuppressWarnings("deprecation") // which is what the newer method calls
  public long getDefaultBlockSize() {
    return Math.max(1, getConf().getLongBytes(BLOCK_BYTES, DEFAULT_BLOCK_BYTES));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(@Nullable FileStatus file, long start, long length)
      throws IOException {
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException("%s bytes from byte %s on".formatted(length, start));
    }
    if (file == null || file.isDirectory() || file.getLen() <= start) {
      return new BlockLocation[0];
    }
    Path path = absolute(file.getPath());
    var striping = at(path, tree -> tree.striping(Names.inTree(path)));
    return new BlockPlaces(striping, getDefaultBlockSize(path), here)
        .of(file.getLen(), start, length);
  }

  @Override
  public FsStatus getStatus(@Nullable Path path) throws IOException {
    FileSpace space = at(path == null ? new Path("/") : path, FileTree::space);
    return new FsStatus(
        space.totalBytes(), space.totalBytes() - space.freeBytes(), space.freeBytes());
  }

  private void change(Path path, FileChange change) throws IOException {
    statistics.incrementWriteOps(1);
    Path file = absolute(path);
    at(file, tree -> tree.change(Names.inTree(file), change));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    change(path, FileChange.NONE.withPermissions(permission.toShort()));
  }

  @Override
  public void setOwner(Path path, @Nullable String owner, @Nullable String group)
      throws IOException {
    FileChange change = owner == null ? FileChange.NONE : FileChange.NONE.withOwner(owner);
    change(path, group == null ? change : change.withGroup(group));
  }

  @Override
  public void setTimes(Path path, long modifiedMillis, long accessedMillis) throws IOException {
    FileChange change = FileChange.NONE;
    if (modifiedMillis >= 0) {
      change = change.withModified(modifiedMillis * 1_000_000);
    }
    change(path, accessedMillis < 0 ? change : change.withAccessed(accessedMillis * 1_000_000));
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    workingDirectory = absolute(directory);
  }

  @Override
  public Path getWorkingDirectory() {
    return workingDirectory;
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.FS_TRUNCATE ->
          true;
      default -> super.hasPathCapability(path, capability);
    };
  }

  @Override
  public void close() throws IOException {
    try {
      super.close(); // which deletes what is to be deleted at the end, so it needs the cluster
    } finally {
      OpenCluster open = cluster.getAndSet(null);
      if (open != null) {
        OpenClusters.OF_THIS_JVM.giveBack(open);
      }
    }
  }
}
