package org.millrace.mount.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileSpace;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.Link;
import org.millrace.mount.fuse.Structs.Mkdir;
import org.millrace.mount.fuse.Structs.Mknod;
import org.millrace.mount.fuse.Structs.Rename;
import org.millrace.mount.fuse.Structs.Statfs;
import org.millrace.mount.system.Errno;

/** Requests about names. Safe for use by several threads. */
final class NameCalls {

  private static final int NAME_BYTES = 255;
  private static final int BLOCK_BYTES = 4096;
  private static final long MORE_FILES = 1L << 32;

  private final Served served;
  private final FileTree tree;

  NameCalls(Served served) {
    this.served = served;
    tree = served.tree();
  }

  void lookup(Request request, Reply reply) throws IOException {
    String name = request.name(0);
    FilePath path = name.equals(".") ? Served.target(request) : at(request, 0);
    served.addEntry(reply, tree.stat(path));
  }

  void mkdir(Request request, Reply reply) throws IOException {
    FilePath path = at(request, Mkdir.BYTES);
    var attributes = served.newFile(request, request.i4(Mkdir.MODE), true);
    served.addEntry(reply, tree.makeDirectory(path, attributes));
  }

  void mknod(Request request, Reply reply) throws IOException {
    FilePath path = at(request, Mknod.BYTES);
    int mode = request.i4(Mknod.MODE);
    FileKind kind = Modes.kind(mode);
    var attributes = served.newFile(request, mode, false);
    if (kind == FileKind.FILE) {
      try (var file = tree.open(path, OpenFlags.NEW_FILE, attributes)) {
        served.addEntry(reply, file.statusSinceOpening());
      }
    } else {
      long device = request.u4(Mknod.DEVICE);
      served.addEntry(reply, tree.makeSpecial(path, kind, device, attributes));
    }
  }

  void symlink(Request request, Reply reply) throws IOException {
    FilePath path = at(request, 0);
    String target = request.name(request.end(0) + 1);
    var attributes = served.newFile(request, 0777, false);
    served.addEntry(reply, tree.makeLink(path, target, attributes));
  }

  void readlink(Request request, Reply reply) throws IOException {
    byte[] target = tree.readLink(Served.target(request)).getBytes(StandardCharsets.UTF_8);
    reply.putBytes(reply.add(target.length), target);
  }

  void link(Request request, Reply reply) throws IOException {
    FilePath existing = FilePath.of(request.i8(Link.NODE) - 1);
    served.addEntry(reply, tree.link(existing, at(request, Link.BYTES)));
  }

  void remove(Request request, Removing what) throws IOException {
    tree.remove(at(request, 0), what);
  }

  void rename(Request request) throws IOException {
    rename(request, Rename.BYTES, Replacing.REPLACE);
  }

  void rename2(Request request) throws IOException {
    Replacing replacing =
        switch (request.i4(Rename.FLAGS)) {
          case 0 -> Replacing.REPLACE;
          case 1 -> Replacing.NEVER;
          case 2 -> Replacing.EXCHANGE;
          default -> throw new Refusal(Errno.EINVAL);
        };
    rename(request, Rename.BYTES2, replacing);
  }

  void statfs(Reply reply) throws IOException {
    FileSpace space = tree.space();
    int at = reply.add(Statfs.BYTES);
    reply.put8(at + Statfs.BLOCKS, space.totalBytes() / BLOCK_BYTES);
    reply.put8(at + Statfs.FREE, space.freeBytes() / BLOCK_BYTES);
    reply.put8(at + Statfs.AVAILABLE, space.freeBytes() / BLOCK_BYTES);
    reply.put8(at + Statfs.FILES, space.files() + MORE_FILES);
    reply.put8(at + Statfs.FILES_FREE, MORE_FILES);
    reply.put4(at + Statfs.BLOCK_BYTES, BLOCK_BYTES);
    reply.put4(at + Statfs.NAME_BYTES, NAME_BYTES);
    reply.put4(at + Statfs.FRAGMENT_BYTES, BLOCK_BYTES);
  }

  /** The name at an offset, in the directory that the request is about. */
  static FilePath at(Request request, long offset) throws IOException {
    return Served.named(Served.id(request), checkedName(request, offset));
  }

  private void rename(Request request, int names, Replacing replacing) throws IOException {
    FilePath from = at(request, names);
    String to = checkedName(request, request.end(names) + 1);
    tree.rename(from, Served.named(request.i8(Rename.DIRECTORY) - 1, to), replacing);
  }

  private static String checkedName(Request request, long offset) throws IOException {
    if (request.end(offset) - offset > NAME_BYTES) {
      throw new Refusal(Errno.ENAMETOOLONG);
    }
    return request.name(offset);
  }
}
