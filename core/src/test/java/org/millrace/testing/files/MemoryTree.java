package org.millrace.testing.files;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileSpace;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.files.Striping;

/**
 * A tree of files in memory: a session of one caller on nodes that several sessions may share. It
 * keeps to POSIX strictly and is as simple as it can be: one lock, maps, lists that are searched.
 *
 * <p>Safe for use by several threads. Closing closes the handles that were opened here; {@link
 * #openHandles} says whether somebody forgot one.
 */
public final class MemoryTree implements FileTree {

  private static final int LARGEST_ATTRIBUTE = 4096;
  private static final long ROOM = 1L << 40;

  /** What is done under the lock. */
  interface Step<T> {
    T run() throws MillraceException;
  }

  private final MemoryStore store;
  private final Caller caller;
  private final Set<MemoryHandle> handles = new HashSet<>();
  private boolean closed;

  private MemoryTree(MemoryStore store, Caller caller) {
    this.store = store;
    this.caller = caller;
  }

  /** An empty tree; the session is the administrator's, {@code root} of group {@code root}. */
  public MemoryTree() {
    this(new MemoryStore("root", "root"), new Caller("root", List.of("root"), true));
  }

  /** Another session on the same files, of a user without special rights; usual group first. */
  public MemoryTree sessionOf(String user, List<String> groups) {
    return new MemoryTree(store, new Caller(user, List.copyOf(groups), false));
  }

  /** Another session of the same caller on the same files. */
  public MemoryTree anotherSession() {
    return new MemoryTree(store, caller);
  }

  /** How many handles are open in this session. */
  public int openHandles() {
    store.lock.lock();
    try {
      return handles.size();
    } finally {
      store.lock.unlock();
    }
  }

  @Override
  public FileStatus stat(FilePath path) throws MillraceException {
    return underLock(() -> find(path).require(path).status());
  }

  @Override
  public FileListing list(FilePath path, String after, int most) throws MillraceException {
    if (most < 1) {
      throw new IllegalArgumentException("most " + most + ", must be at least 1");
    }
    return underLock(
        () -> {
          MemoryNode directory = find(path).require(path);
          if (!directory.isDirectory()) {
            throw Refused.notDirectory(path);
          }
          caller.require(directory, Caller.READ, path);
          List<FileListing.Entry> part = new ArrayList<>();
          for (Map.Entry<String, MemoryNode> name :
              directory.names.tailMap(after, false).entrySet()) {
            if (part.size() == most) {
              return new FileListing(part, true);
            }
            part.add(new FileListing.Entry(name.getKey(), name.getValue().status()));
          }
          return new FileListing(part, false);
        });
  }

  @Override
  public FileStatus makeDirectory(FilePath path, NewFile attributes) throws MillraceException {
    return underLock(() -> make(path, FileKind.DIRECTORY, attributes).status());
  }

  @Override
  public FileStatus makeLink(FilePath path, String target, NewFile attributes)
      throws MillraceException {
    return underLock(
        () -> {
          if (target.isEmpty()) {
            throw Refused.missing(path + " to an empty target");
          }
          MemoryNode link = make(path, FileKind.LINK, attributes);
          link.target = target;
          link.permissions = 0777;
          return link.status();
        });
  }

  @Override
  public FileStatus makeSpecial(FilePath path, FileKind kind, long device, NewFile attributes)
      throws MillraceException {
    return underLock(
        () -> {
          switch (kind) {
            case DIRECTORY, LINK -> throw Refused.invalid(path, "cannot be made as special file");
            case CHARACTER_DEVICE, BLOCK_DEVICE ->
                caller.requireAdministrator(path, "only the administrator makes devices");
            case FILE, PIPE, SOCKET -> {}
          }
          MemoryNode special = make(path, kind, attributes);
          special.device = device;
          return special.status();
        });
  }

  @Override
  public String readLink(FilePath path) throws MillraceException {
    return underLock(
        () -> {
          MemoryNode link = find(path.notFollowing()).require(path);
          if (link.kind != FileKind.LINK) {
            throw Refused.invalid(path, "is no symbolic link");
          }
          return link.target;
        });
  }

  @Override
  public FileStatus link(FilePath existing, FilePath name) throws MillraceException {
    return underLock(
        () -> {
          MemoryNode node = find(existing).require(existing);
          if (node.isDirectory()) {
            throw Refused.notOwner(existing, "a directory has one name only");
          }
          Place place = free(name, false);
          if (node.nameCount == 0) {
            throw Refused.missing(existing);
          }
          store.enter(place.directory(), place.name(), node);
          return node.status();
        });
  }

  @Override
  public void remove(FilePath path, Removing what) throws MillraceException {
    underLock(
        () -> {
          Place place = find(path.notFollowing());
          MemoryNode node = place.require(path);
          if (!place.isNamed()) {
            throw Refused.invalid(path, "names nothing that can be removed");
          }
          caller.requireRemoval(place.directory(), node, path);
          if (what == Removing.FILE && node.isDirectory()) {
            throw Refused.directory(path);
          }
          if (what == Removing.DIRECTORY && !node.isDirectory()) {
            throw Refused.notDirectory(path);
          }
          if (!node.names.isEmpty()) {
            throw Refused.notEmpty(path);
          }
          store.leave(place.directory(), place.name());
          return 0;
        });
  }

  @Override
  public void rename(FilePath from, FilePath to, Replacing replacing) throws MillraceException {
    underLock(
        () -> {
          new MemoryRename(store, caller, find(from.notFollowing()), find(to.notFollowing()))
              .run(from, to, replacing);
          return 0;
        });
  }

  @Override
  public FileStatus change(FilePath path, FileChange change) throws MillraceException {
    return underLock(
        () -> {
          MemoryNode node = find(path).require(path);
          new MemoryChange(store, caller, node).apply(path, change);
          return node.status();
        });
  }

  @Override
  public List<String> attributes(FilePath path) throws MillraceException {
    return underLock(() -> List.copyOf(find(path).require(path).attributes.keySet()));
  }

  @Override
  public byte[] attribute(FilePath path, String name) throws MillraceException {
    return underLock(
        () -> {
          MemoryNode node = find(path).require(path);
          caller.require(node, Caller.READ, path);
          byte[] value = node.attributes.get(name);
          if (value == null) {
            throw Refused.noAttribute(path, name);
          }
          return value.clone();
        });
  }

  @Override
  public void setAttribute(FilePath path, String name, byte[] value, Setting setting)
      throws MillraceException {
    underLock(
        () -> {
          MemoryNode node = find(path).require(path);
          caller.require(node, Caller.WRITE, path);
          if (value.length > LARGEST_ATTRIBUTE) {
            throw Refused.tooLarge(path, "attribute of %d bytes".formatted(value.length));
          }
          boolean there = node.attributes.containsKey(name);
          if (setting == Setting.CREATE && there) {
            throw Refused.exists(path + ", attribute " + name);
          }
          if (setting == Setting.REPLACE && !there) {
            throw Refused.noAttribute(path, name);
          }
          node.attributes.put(name, value.clone());
          node.changed = store.now();
          return 0;
        });
  }

  @Override
  public void removeAttribute(FilePath path, String name) throws MillraceException {
    underLock(
        () -> {
          MemoryNode node = find(path).require(path);
          caller.require(node, Caller.WRITE, path);
          if (node.attributes.remove(name) == null) {
            throw Refused.noAttribute(path, name);
          }
          node.changed = store.now();
          return 0;
        });
  }

  @Override
  public FileHandle open(FilePath path, Set<Opening> how, NewFile attributes)
      throws MillraceException {
    if (!how.contains(Opening.READ) && !how.contains(Opening.WRITE)) {
      throw new IllegalArgumentException("opened neither to read nor to write: " + how);
    }
    return underLock(
        () -> {
          boolean exclusive = how.contains(Opening.EXCLUSIVE);
          boolean create = exclusive || how.contains(Opening.CREATE);
          Place place = find(exclusive ? path.notFollowing() : path);
          boolean made = create && place.node().isEmpty();
          if (exclusive && !made) {
            throw Refused.exists(path);
          }
          MemoryNode node = made ? make(path, FileKind.FILE, attributes) : place.require(path);
          checkOpen(node, path, how, made);
          if (how.contains(Opening.TRUNCATE) && !made) {
            node.bytes.resize(0);
            store.touch(node);
          }
          MemoryHandle handle = new MemoryHandle(this, store, node, Set.copyOf(how));
          handles.add(handle);
          return handle;
        });
  }

  @Override
  public Striping striping(FilePath path) throws MillraceException {
    return underLock(
        () -> {
          FileKind kind = find(path).require(path).status().kind();
          if (kind != FileKind.FILE) {
            throw new MillraceException(
                kind == FileKind.DIRECTORY ? ErrorCode.IS_DIRECTORY : ErrorCode.INVALID,
                path + " has no bytes");
          }
          return new Striping(1, List.of(""));
        });
  }

  @Override
  public FileSpace space() throws MillraceException {
    return underLock(() -> new FileSpace(ROOM, ROOM / 2, store.count()));
  }

  @Override
  public boolean isOver() {
    store.lock.lock();
    try {
      return closed;
    } finally {
      store.lock.unlock();
    }
  }

  @Override
  public void close() {
    store.lock.lock();
    try {
      closed = true;
      List.copyOf(handles).forEach(MemoryHandle::close);
    } finally {
      store.lock.unlock();
    }
  }

  void closed(MemoryHandle handle) {
    handles.remove(handle);
  }

  private void checkOpen(MemoryNode node, FilePath path, Set<Opening> how, boolean made)
      throws MillraceException {
    if (node.isDirectory()) {
      throw Refused.directory(path);
    }
    if (node.kind != FileKind.FILE) {
      throw Refused.invalid(path, "is a " + node.kind);
    }
    if (!made) {
      boolean writes = how.contains(Opening.WRITE) || how.contains(Opening.TRUNCATE);
      int bits = (how.contains(Opening.READ) ? Caller.READ : 0) | (writes ? Caller.WRITE : 0);
      caller.require(node, bits, path);
    }
  }

  private Place find(FilePath path) throws MillraceException {
    return Place.find(store, caller, path);
  }

  /** A name that is not taken, in a directory that may be written. */
  private Place free(FilePath path, boolean directory) throws MillraceException {
    // A new directory may be named with a slash at the end, but is not looked for behind a link.
    Place place = Place.find(store, caller, path.notFollowing());
    if (place.node().isPresent()) {
      throw Refused.exists(path);
    }
    if (place.slash() && !directory) {
      throw Refused.missing(path);
    }
    if (place.directory().nameCount == 0) {
      throw Refused.missing(path);
    }
    caller.require(place.directory(), Caller.WRITE | Caller.SEARCH, path);
    return place;
  }

  private MemoryNode make(FilePath path, FileKind kind, NewFile attributes)
      throws MillraceException {
    boolean plain = kind == FileKind.FILE && path.follow();
    Place place = plain ? freeBehindLinks(path) : free(path, kind == FileKind.DIRECTORY);
    if (attributes.owner().isPresent() || attributes.group().isPresent()) {
      caller.requireAdministrator(path, "only the administrator makes files of others");
    }
    MemoryNode parent = place.directory();
    boolean inherits = (parent.permissions & MemoryChange.SET_GROUP) != 0;
    MemoryNode node = store.make(kind);
    node.owner = attributes.owner().orElse(caller.name());
    node.group = attributes.group().orElse(inherits ? parent.group : caller.groups().getFirst());
    node.permissions = attributes.permissions() & 07777;
    if (inherits && node.isDirectory()) {
      node.permissions |= MemoryChange.SET_GROUP;
    }
    store.enter(parent, place.name(), node);
    return node;
  }

  /** As {@link #free}, where a link to a missing file stands for that file. */
  private Place freeBehindLinks(FilePath path) throws MillraceException {
    Place place = find(path);
    if (place.slash()) {
      throw Refused.directory(path);
    }
    if (place.directory().nameCount == 0) {
      throw Refused.missing(path);
    }
    caller.require(place.directory(), Caller.WRITE | Caller.SEARCH, path);
    return place;
  }

  private <T> T underLock(Step<T> step) throws MillraceException {
    store.lock.lock();
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "the session is closed");
      }
      return step.run();
    } finally {
      store.lock.unlock();
    }
  }
}
