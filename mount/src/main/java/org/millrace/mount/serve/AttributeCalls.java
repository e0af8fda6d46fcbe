package org.millrace.mount.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Setting;
import org.millrace.mount.fuse.Flags.Valid;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.GetAttr;
import org.millrace.mount.fuse.Structs.GetXattr;
import org.millrace.mount.fuse.Structs.SetAttr;
import org.millrace.mount.fuse.Structs.SetXattr;
import org.millrace.mount.system.Errno;

/** Requests about attributes. Safe for use by several threads. */
final class AttributeCalls {

  private static final long SECOND = 1_000_000_000L;
  private static final int LARGEST_XATTR = 4096;

  private final Served served;
  private final FileTree tree;
  private final Slots<OpenFile> files;

  AttributeCalls(Served served, Slots<OpenFile> files) {
    this.served = served;
    this.tree = served.tree();
    this.files = files;
  }

  void getattr(Request request, Reply reply) throws IOException {
    boolean opened = (request.i4(GetAttr.FLAGS) & 1) != 0;
    FileStatus status =
        opened ? files.get(request.i8(GetAttr.HANDLE)).handle().status() : stat(Served.id(request));
    served.addAttr(reply, status);
  }

  void setattr(Request request, Reply reply) throws IOException {
    int valid = request.i4(SetAttr.VALID);
    FilePath path = Served.target(request);
    boolean resizes = (valid & Valid.SIZE) != 0;
    if (resizes && (valid & Valid.HANDLE) != 0) { // it was opened for writing, whatever its mode is
      OpenFile file = files.get(request.i8(SetAttr.HANDLE));
      file.handle().resize(request.i8(SetAttr.SIZE));
      resizes = false;
    }
    FileChange change = change(request, valid, path);
    if (resizes) {
      change = change.withSize(request.i8(SetAttr.SIZE));
    }
    boolean nothing = change.equals(FileChange.NONE);
    FileStatus status = nothing ? stat(path.from()) : tree.change(path, change);
    if (change.permissions().isPresent()) {
      files.forEach(file -> forgetMode(file, path.from()));
    }
    served.addAttr(reply, status);
  }

  void getxattr(Request request, Reply reply) throws IOException {
    String name = request.name(GetXattr.BYTES);
    if (name.startsWith("system.")) {
      throw new Refusal(Errno.EOPNOTSUPP);
    }
    addXattr(request, reply, tree.attribute(Served.target(request), name));
  }

  void listxattr(Request request, Reply reply) throws IOException {
    StringBuilder names = new StringBuilder();
    tree.attributes(Served.target(request)).forEach(name -> names.append(name).append('\0'));
    addXattr(request, reply, names.toString().getBytes(StandardCharsets.UTF_8));
  }

  void setxattr(Request request) throws IOException {
    long size = request.u4(SetXattr.SIZE);
    String name = request.name(SetXattr.BYTES);
    if (name.startsWith("system.")) {
      throw new Refusal(Errno.EOPNOTSUPP);
    }
    if (size > LARGEST_XATTR) {
      throw new Refusal(Errno.ENOSPC);
    }
    long at = request.end(SetXattr.BYTES) + 1;
    if (!request.has(at + size)) {
      throw new Refusal(Errno.EINVAL);
    }
    byte[] value = request.bytes(at, size).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    Setting setting =
        switch (request.i4(SetXattr.FLAGS)) {
          case 0 -> Setting.EITHER;
          case 1 -> Setting.CREATE;
          case 2 -> Setting.REPLACE;
          default -> throw new Refusal(Errno.EINVAL);
        };
    tree.setAttribute(Served.target(request), name, value, setting);
  }

  void removexattr(Request request) throws IOException {
    tree.removeAttribute(Served.target(request), request.name(0));
  }

  private static void addXattr(Request request, Reply reply, byte[] value) throws Refusal {
    long room = request.u4(GetXattr.SIZE);
    if (room == 0) {
      reply.put4(reply.add(GetXattr.BYTES) + GetXattr.SIZE, value.length);
    } else if (value.length > room) {
      throw new Refusal(Errno.ERANGE);
    } else {
      reply.putBytes(reply.add(value.length), value);
    }
  }

  /** Attributes of a number. A file without a name is asked through a handle that is open here. */
  private FileStatus stat(long id) throws IOException {
    try {
      return tree.stat(FilePath.of(id));
    } catch (NoSuchNameException e) {
      AtomicReference<@Nullable FileHandle> open = new AtomicReference<>();
      files.forEach(file -> open.compareAndSet(null, ofFile(file, id)));
      FileHandle handle = open.get();
      if (handle == null) {
        throw new Refusal(Errno.ESTALE);
      }
      return handle.status();
    }
  }

  private static @Nullable FileHandle ofFile(OpenFile file, long id) {
    return file.handle().id() == id ? file.handle() : null;
  }

  private static void forgetMode(OpenFile file, long id) {
    if (file.handle().id() == id) {
      file.modeChanged();
    }
  }

  private FileChange change(Request request, int valid, FilePath path) throws IOException {
    FileChange change = FileChange.NONE;
    if ((valid & Valid.UID) != 0) {
      change = change.withOwner(served.users().name(request.i4(SetAttr.UID)));
    }
    if ((valid & Valid.GID) != 0) {
      change = change.withGroup(served.groups().name(request.i4(SetAttr.GID)));
    }
    if ((valid & Valid.ATIME) != 0) {
      boolean now = (valid & Valid.ATIME_NOW) != 0;
      change = change.withAccessed(time(request, now, SetAttr.ATIME, SetAttr.ATIME_NANOS));
    }
    if ((valid & Valid.MTIME) != 0) {
      boolean now = (valid & Valid.MTIME_NOW) != 0;
      change = change.withModified(time(request, now, SetAttr.MTIME, SetAttr.MTIME_NANOS));
    }
    if ((valid & Valid.MODE) != 0) {
      return change.withPermissions(request.i4(SetAttr.MODE) & 07777);
    }
    boolean kills = (valid & (Valid.UID | Valid.GID | Valid.KILL)) != 0;
    return kills ? withoutRights(change, path) : change;
  }

  /** The same, and without mode bits that give rights, if the file has any. */
  private FileChange withoutRights(FileChange change, FilePath path) throws IOException {
    FileStatus status = stat(path.from());
    int bits = OpenFile.withoutRights(status.permissions());
    boolean has = bits != status.permissions();
    boolean file = status.kind() != FileKind.DIRECTORY;
    return has && file ? change.withPermissions(bits) : change;
  }

  private static long time(Request request, boolean now, int seconds, int nanos) {
    if (now) {
      return FileChange.NOW;
    }
    long limit = Long.MAX_VALUE / SECOND - 1; // the year 2262: later times than that are cut
    long whole = Math.clamp(request.i8(seconds), -limit, limit);
    return whole * SECOND + request.u4(nanos);
  }
}
