package org.millrace.mount.serve;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.millrace.files.FileHandle;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.mount.fuse.Flags;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.CopyRange;
import org.millrace.mount.fuse.Structs.Create;
import org.millrace.mount.fuse.Structs.Fallocate;
import org.millrace.mount.fuse.Structs.Fsync;
import org.millrace.mount.fuse.Structs.Lseek;
import org.millrace.mount.fuse.Structs.Open;
import org.millrace.mount.fuse.Structs.OpenOut;
import org.millrace.mount.fuse.Structs.Release;
import org.millrace.mount.fuse.Structs.Transfer;
import org.millrace.mount.fuse.Structs.WriteOut;
import org.millrace.mount.serve.KernelPages.Use;
import org.millrace.mount.system.Errno;

/**
 * Requests about open files. Bytes go between the buffers of requests and replies and the tree
 * without being copied here.
 *
 * <p>Safe for use by several threads.
 */
final class FileCalls {

  /** Such files go past the page cache. */
  private static final int DIRECT = Flags.Opened.DIRECT | Flags.Opened.PARALLEL_WRITES;

  private static final int KEEP_SIZE = 1;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final long LARGEST_COPY = 1 << 24;

  private final Served served;
  private final FileTree tree;
  private final Slots<OpenFile> files;

  FileCalls(Served served, Slots<OpenFile> files) {
    this.served = served;
    this.tree = served.tree();
    this.files = files;
  }

  void open(Request request, Reply reply) throws IOException {
    int flags = request.i4(Open.FLAGS);
    OpenFile file =
        opened(tree.open(Served.target(request), OpenFlags.of(flags), NewFile.with(0)), flags);
    if ((request.i4(Open.KILL) & 1) != 0) {
      dropRights(file);
    }
    addHandle(reply, file);
  }

  void create(Request request, Reply reply) throws IOException {
    var path = NameCalls.at(request, Create.BYTES);
    NewFile attributes = served.newFile(request, request.i4(Create.MODE), false);
    int flags = request.i4(Create.FLAGS);
    OpenFile file = opened(tree.open(path, OpenFlags.making(flags), attributes), flags);
    if ((request.i4(Create.KILL) & 1) != 0) {
      dropRights(file);
    }
    served.addEntry(reply, statusOrClose(file));
    addHandle(reply, file);
  }

  void read(Request request, Reply reply) throws IOException {
    OpenFile file = files.get(request.i8(Transfer.HANDLE));
    long size = Math.min(request.u4(Transfer.SIZE), reply.room());
    reply.filled(file.handle().read(request.i8(Transfer.POSITION), reply.payload(size)));
    served.pages().answered(file, false); // it waits in the kernel for the answer, and drops it
  }

  void write(Request request, Reply reply) throws IOException {
    OpenFile file = files.get(request.i8(Transfer.HANDLE));
    long size = request.u4(Transfer.SIZE);
    if (!request.has(Transfer.BYTES + size)) {
      throw new Refusal(Errno.EINVAL);
    }
    MemorySegment bytes = request.bytes(Transfer.BYTES, size);
    int how = request.i4(Transfer.HOW);
    if ((how & Flags.Write.KILL) != 0) {
      file.dropRights(tree);
    }
    int flags = request.i4(Transfer.FLAGS);
    boolean appends = (flags & Flags.File.APPEND) != 0;
    long position = request.i8(Transfer.POSITION);
    if (appends && (how & Flags.Write.FROM_CACHE) == 0) {
      position = file.handle().append(bytes); // the kernel's idea of the end may be old
    } else {
      file.handle().write(position, bytes);
    }
    if ((flags & Flags.File.SYNC) != 0 && !file.isCached()) {
      file.handle().force(position, size); // through the cache the kernel asks for it
    }
    reply.put4(reply.add(WriteOut.BYTES) + WriteOut.SIZE, (int) size);
  }

  void release(Request request) throws IOException {
    OpenFile file = files.remove(request.i8(Release.HANDLE));
    served.pages().closed(file);
    file.handle().close();
  }

  /** A read or write was answered: the kernel has the bytes. */
  void answered(Request request, boolean write) {
    try {
      served.pages().answered(files.get(request.i8(Transfer.HANDLE)), write);
    } catch (Refusal e) {
      // it was closed meanwhile, so that nobody reads what the kernel has
    }
  }

  void fsync(Request request) throws IOException {
    boolean bytesOnly = (request.i4(Fsync.FLAGS) & 1) != 0;
    files.get(request.i8(Fsync.HANDLE)).handle().force(!bytesOnly);
  }

  void fallocate(Request request) throws IOException {
    int mode = request.i4(Fallocate.MODE);
    if ((mode & ~KEEP_SIZE) != 0) {
      throw new Refusal(Errno.EOPNOTSUPP);
    }
    files
        .get(request.i8(Fallocate.HANDLE))
        .handle()
        .reserve(
            request.i8(Fallocate.POSITION), request.i8(Fallocate.SIZE), (mode & KEEP_SIZE) == 0);
  }

  /** A hole is known where data begins later; the end of the file is one, too. */
  void lseek(Request request, Reply reply) throws IOException {
    FileHandle handle = files.get(request.i8(Lseek.HANDLE)).handle();
    long from = request.i8(Lseek.POSITION);
    long size = handle.size();
    if (from < 0 || from >= size) {
      throw new Refusal(Errno.ENXIO);
    }
    OptionalLong data = handle.nextData(from);
    long found =
        switch (request.i4(Lseek.WHENCE)) {
          case SEEK_DATA -> data.orElse(size);
          case SEEK_HOLE -> data.orElse(size) == from ? size : from;
          default -> throw new Refusal(Errno.EINVAL);
        };
    if (found >= size && request.i4(Lseek.WHENCE) == SEEK_DATA) {
      throw new Refusal(Errno.ENXIO);
    }
    reply.put8(reply.add(Long.BYTES), found);
  }

  void copyRange(Request request, Reply reply) throws IOException {
    FileHandle from = files.get(request.i8(CopyRange.FROM_HANDLE)).handle();
    FileHandle to = files.get(request.i8(CopyRange.TO_HANDLE)).handle();
    long wanted = Math.min(request.i8(CopyRange.SIZE), LARGEST_COPY);
    long done = 0;
    while (done < wanted) {
      MemorySegment buffer = reply.payload(Math.min(reply.room(), wanted - done));
      long bytes = from.read(request.i8(CopyRange.FROM_POSITION) + done, buffer);
      if (bytes == 0) {
        break;
      }
      to.write(request.i8(CopyRange.TO_POSITION) + done, buffer.asSlice(0, bytes));
      done += bytes;
    }
    reply.put4(reply.add(WriteOut.BYTES) + WriteOut.SIZE, (int) done);
  }

  private void dropRights(OpenFile file) throws IOException {
    try {
      file.dropRights(tree);
    } catch (IOException e) {
      closeAfter(file, e);
      throw e;
    }
  }

  private FileStatus statusOrClose(OpenFile file) throws IOException {
    try {
      return file.handle().statusSinceOpening();
    } catch (IOException e) {
      closeAfter(file, e);
      throw e;
    }
  }

  private void closeAfter(OpenFile file, IOException failure) {
    served.pages().closed(file);
    try {
      file.handle().close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private OpenFile opened(FileHandle handle, int flags) {
    return served.pages().opened(handle, use(flags));
  }

  private static Use use(int flags) {
    if ((flags & Flags.File.APPEND) != 0) {
      return Use.APPENDS;
    }
    return (flags & Flags.File.ACCESS) == Flags.File.WRITE ? Use.WRITES : Use.READS;
  }

  /**
   * Says what the kernel may do with an open file. Where it may keep bytes it forgets those that it
   * has with each open.
   */
  private void addHandle(Reply reply, OpenFile file) {
    int at = reply.add(OpenOut.BYTES);
    reply.put8(at + OpenOut.HANDLE, files.add(file));
    reply.put4(at + OpenOut.FLAGS, file.isCached() ? 0 : DIRECT);
  }
}
