package org.millrace.nio;

import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.millrace.env.Env;
import org.millrace.files.FileTree;

/**
 * The files of one cluster. Safe for use by several threads. Closing ends its session with all that
 * is open, and is idempotent.
 */
final class MillraceFileSystem extends FileSystem {

  static final Set<String> VIEWS = Set.of("basic", "posix", "owner", "unix", "user");

  /** What goes on with the tree. */
  interface Call<T> {
    T in(FileTree tree) throws IOException;
  }

  /** What goes on with the tree and has no result. */
  interface Action {
    void in(FileTree tree) throws IOException;
  }

  /** What is closed behind the tree. */
  interface Closing extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  // constant after construction
  private final MillraceFileSystemProvider provider;
  private final String location;
  private final FileTree tree;
  private final Closing closing;
  private final Env env;
  private final JvmLocks locks = new JvmLocks();
  private final Watchers watchers = new Watchers();
  private final ClusterStore store = new ClusterStore(this);
  private final Set<MillraceChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  MillraceFileSystem(
      MillraceFileSystemProvider provider,
      String location,
      FileTree tree,
      Closing closing,
      Env env) {
    this.provider = provider;
    this.location = location;
    this.tree = tree;
    this.closing = closing;
    this.env = env;
  }

  String location() {
    return location;
  }

  Env env() {
    return env;
  }

  JvmLocks locks() {
    return locks;
  }

  /** Asks the tree about a path, with errors as programs of {@code java.nio.file} expect them. */
  <T> T call(Path about, Call<T> call) throws IOException {
    FileTree open = tree();
    try {
      return call.in(open);
    } catch (IOException e) {
      throw Errors.of(about.toString(), e);
    }
  }

  /** As {@link #call}, without a result. */
  void run(Path about, Action action) throws IOException {
    call(
        about,
        all -> {
          action.in(all);
          return about;
        });
  }

  /** The tree itself, for callers who tell errors themselves. */
  FileTree tree() {
    checkOpen();
    return tree;
  }

  ClusterStore store() {
    return store;
  }

  /** A channel that ends with this at the latest. */
  MillraceChannel opened(MillraceChannel channel) {
    channels.add(channel);
    return channel;
  }

  void closed(MillraceChannel channel) {
    channels.remove(channel);
  }

  /** Removes a file that goes with its channel, also if that is closed because this is. */
  void removeClosed(MillracePath path) throws IOException {
    try {
      tree.remove(path.inTree().notFollowing(), FileTree.Removing.FILE);
    } catch (IOException e) {
      IOException told = Errors.of(path.toString(), e);
      if (!(told instanceof NoSuchFileException)) { // or somebody else has removed it
        throw told;
      }
    }
  }

  MillraceFileSystemProvider ourProvider() {
    return provider;
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new ClosedFileSystemException();
    }
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      provider.forget(this);
      watchers.close();
      try (Closing _ = closing;
          Closing _ = tree::close) {
        for (MillraceChannel channel : channels) {
          channel.close();
        }
      }
    }
  }

  @Override
  public boolean isOpen() {
    return !closed.get();
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    checkOpen();
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    checkOpen();
    return List.of(store);
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    checkOpen();
    return VIEWS;
  }

  @Override
  public Path getPath(String first, String... more) {
    StringBuilder text = new StringBuilder(first);
    for (String next : more) {
      if (!next.isEmpty()) {
        text.append(text.isEmpty() ? "" : "/").append(next);
      }
    }
    return MillracePath.parse(this, text.toString());
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    int colon = syntaxAndPattern.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException(
          "'" + syntaxAndPattern + "' has no syntax, as in glob:*.npy");
    }
    String syntax = syntaxAndPattern.substring(0, colon);
    String text = syntaxAndPattern.substring(colon + 1);
    Pattern pattern =
        switch (syntax.toLowerCase(Locale.ROOT)) {
          case "glob" -> Glob.compile(text);
          case "regex" -> Pattern.compile(text);
          default ->
              throw new UnsupportedOperationException(
                  "syntax '" + syntax + "' of patterns; known are glob and regex");
        };
    return path -> pattern.matcher(path.toString()).matches();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return Principals.LOOKUP;
  }

  @Override
  public WatchService newWatchService() {
    checkOpen();
    return watchers.add(new PollingWatchService(this));
  }

  void forget(PollingWatchService watcher) {
    watchers.remove(watcher);
  }

  @Override
  public String toString() {
    return ClusterUri.SCHEME + ":" + location;
  }
}
