package org.millrace.mount.serve;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.millrace.env.Env;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.Attr;
import org.millrace.mount.fuse.Structs.AttrOut;
import org.millrace.mount.fuse.Structs.Entry;
import org.millrace.mount.system.Accounts;

/**
 * What is served, and how attributes look to the kernel. A node is the number of a file and one:
 * the kernel calls the root 1.
 *
 * <p>Safe for use by several threads.
 */
public final class Served {

  private static final long SECOND = 1_000_000_000L;
  private static final int PREFERRED_BYTES = 1 << 18;
  private static final int SET_GROUP = 02000;

  // Constant after construction.
  private final Env env;
  private final FileTree tree;
  private final boolean givesOwners;
  private final long cacheNanos;
  private final KernelPages pages;
  private final Accounts users = Accounts.users();
  private final Accounts groups = Accounts.groups();

  /**
   * Directories whose group new files get, with its name. The kernel has seen a directory's
   * attributes before it makes something there, so all that matter have passed here.
   */
  private final ConcurrentHashMap<Long, String> setGroup = new ConcurrentHashMap<>();

  /**
   * Serves a tree.
   *
   * @param givesOwners whether new files are the calling process's, not the session's
   * @param cacheNanos for how long the kernel may keep names and attributes
   * @param pages what the kernel may keep of open files
   */
  public Served(Env env, FileTree tree, boolean givesOwners, long cacheNanos, KernelPages pages) {
    this.env = env;
    this.tree = tree;
    this.givesOwners = givesOwners;
    this.cacheNanos = cacheNanos;
    this.pages = pages;
  }

  Env env() {
    return env;
  }

  FileTree tree() {
    return tree;
  }

  KernelPages pages() {
    return pages;
  }

  Accounts users() {
    return users;
  }

  Accounts groups() {
    return groups;
  }

  static long node(long id) {
    return id + 1;
  }

  /** The number of the file that a request is about. */
  static long id(Request request) {
    return request.node() - 1;
  }

  /** What a request is about. */
  static FilePath target(Request request) {
    return FilePath.of(id(request));
  }

  /** A name in the directory of a number. */
  static FilePath named(long directory, String name) {
    return FilePath.of(directory, name).notFollowing();
  }

  /** Attributes of something new, as the caller of the request wants them. */
  NewFile newFile(Request request, int mode, boolean directory) {
    String inherited = setGroup.get(id(request));
    int bits = mode & 07777 | (inherited != null && directory ? SET_GROUP : 0);
    if (!givesOwners) {
      return NewFile.with(bits);
    }
    String group = inherited == null ? groups.name(request.group()) : inherited;
    return new NewFile(bits, Optional.of(users.name(request.user())), Optional.of(group));
  }

  /** Adds a node with its attributes. */
  void addEntry(Reply reply, FileStatus status) {
    int at = reply.add(Entry.BYTES);
    putEntry(reply, at, status);
  }

  /** Fills in a node that is all zeros. */
  void putEntry(Reply reply, int at, FileStatus status) {
    long validNanos = validNanos(status);
    reply.put8(at + Entry.NODE, node(status.id()));
    reply.put8(at + Entry.NAME_SECONDS, cacheNanos / SECOND);
    reply.put8(at + Entry.ATTR_SECONDS, validNanos / SECOND);
    reply.put4(at + Entry.NAME_NANOS, (int) (cacheNanos % SECOND));
    reply.put4(at + Entry.ATTR_NANOS, (int) (validNanos % SECOND));
    putAttr(reply, at + Entry.ATTR, status);
  }

  /** Adds attributes. */
  void addAttr(Reply reply, FileStatus status) {
    int at = reply.add(AttrOut.BYTES);
    long validNanos = validNanos(status);
    reply.put8(at + AttrOut.SECONDS, validNanos / SECOND);
    reply.put4(at + AttrOut.NANOS, (int) (validNanos % SECOND));
    putAttr(reply, at + AttrOut.ATTR, status);
  }

  /** For how long the kernel may believe in attributes; it reads no further than to the size. */
  private long validNanos(FileStatus status) {
    pages.seen(status);
    return pages.mayChange(status.id()) ? 0 : cacheNanos;
  }

  private void putAttr(Reply reply, int at, FileStatus status) {
    FileStatus.Times times = status.times();
    reply.put8(at + Attr.INO, node(status.id()));
    reply.put8(at + Attr.SIZE, status.size());
    reply.put8(at + Attr.BLOCKS, Math.ceilDiv(status.size(), 512L));
    reply.put8(at + Attr.ATIME, Math.floorDiv(times.accessed(), SECOND));
    reply.put8(at + Attr.MTIME, Math.floorDiv(times.modified(), SECOND));
    reply.put8(at + Attr.CTIME, Math.floorDiv(times.changed(), SECOND));
    reply.put4(at + Attr.ATIME_NANOS, (int) Math.floorMod(times.accessed(), SECOND));
    reply.put4(at + Attr.MTIME_NANOS, (int) Math.floorMod(times.modified(), SECOND));
    reply.put4(at + Attr.CTIME_NANOS, (int) Math.floorMod(times.changed(), SECOND));
    reply.put4(at + Attr.MODE, Modes.of(status.kind()) | status.permissions());
    reply.put4(at + Attr.LINKS, (int) Math.min(status.links(), Integer.MAX_VALUE));
    reply.put4(at + Attr.UID, users.id(status.owner()));
    reply.put4(at + Attr.GID, groups.id(status.group()));
    reply.put4(at + Attr.DEVICE, (int) status.device());
    reply.put4(at + Attr.BLOCK_BYTES, PREFERRED_BYTES);
    if (status.kind() == FileKind.DIRECTORY) {
      remember(status);
    }
  }

  private void remember(FileStatus directory) {
    if ((directory.permissions() & SET_GROUP) != 0) {
      setGroup.put(directory.id(), directory.group());
    } else if (!setGroup.isEmpty()) {
      setGroup.remove(directory.id());
    }
  }
}
