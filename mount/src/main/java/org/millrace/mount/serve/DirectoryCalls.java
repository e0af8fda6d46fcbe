package org.millrace.mount.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.Dirent;
import org.millrace.mount.fuse.Structs.Entry;
import org.millrace.mount.fuse.Structs.OpenOut;
import org.millrace.mount.fuse.Structs.Release;
import org.millrace.mount.fuse.Structs.Transfer;

/** Requests about open directories. Safe for use by several threads. */
final class DirectoryCalls {

  /** The number of a directory that is not asked for: of the one above. */
  private static final long UNKNOWN_INO = 0xffffffffL;

  private final Served served;
  private final Slots<OpenDirectory> directories = new Slots<>();

  DirectoryCalls(Served served) {
    this.served = served;
  }

  void open(Request request, Reply reply) {
    OpenDirectory directory = new OpenDirectory(served.tree(), Served.id(request));
    reply.put8(reply.add(OpenOut.BYTES) + OpenOut.HANDLE, directories.add(directory));
  }

  void release(Request request) throws IOException {
    directories.remove(request.i8(Release.HANDLE));
  }

  /** Fills the reply with as many entries as fit. */
  void read(Request request, Reply reply, boolean plus) throws IOException {
    OpenDirectory directory = directories.get(request.i8(Transfer.HANDLE));
    long limit = Math.min(request.u4(Transfer.SIZE), reply.room());
    long number = request.i8(Transfer.POSITION);
    if (number == 0) {
      directory.rewind();
    }
    for (; number < 2; number++) {
      boolean self = number == 0;
      long ino = self ? Served.node(directory.id()) : UNKNOWN_INO;
      if (!add(reply, new Name(self ? "." : "..", ino, FileKind.DIRECTORY, number), limit, plus)) {
        return;
      }
    }
    for (; ; number++) {
      FileListing.Entry entry = directory.entry(number);
      if (entry == null) {
        return;
      }
      int start = reply.size();
      var status = entry.status();
      var name = new Name(entry.name(), Served.node(status.id()), status.kind(), number);
      if (!add(reply, name, limit, plus)) {
        return;
      }
      if (plus) {
        served.putEntry(reply, start, status);
      }
    }
  }

  /** An entry; the cookie behind it is its number and one. */
  private record Name(String name, long ino, FileKind kind, long number) {}

  /** Adds an entry, with zeros where its attributes go; whether it has fit. */
  private static boolean add(Reply reply, Name entry, long limit, boolean plus) {
    byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
    int front = plus ? Entry.BYTES : 0;
    int bytes = front + Math.ceilDiv(Dirent.NAME + name.length, Long.BYTES) * Long.BYTES;
    if (reply.size() + bytes > limit) {
      return false;
    }
    int at = reply.add(bytes) + front;
    reply.put8(at + Dirent.INO, entry.ino());
    reply.put8(at + Dirent.COOKIE, entry.number() + 1);
    reply.put4(at + Dirent.NAME_BYTES, name.length);
    reply.put4(at + Dirent.TYPE, Modes.type(entry.kind()));
    reply.putBytes(at + Dirent.NAME, name);
    return true;
  }
}
