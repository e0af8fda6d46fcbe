package org.millrace.mount.serve;

import org.millrace.mount.fuse.Flags.Init;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs;
import org.millrace.mount.system.Errno;

/** The first request: what the kernel and this side both can do. */
final class Negotiation {

  /** The most bytes of a read or write. */
  static final int LARGEST_TRANSFER = 1 << 20;

  private static final int MAJOR = 7;
  private static final int LEAST_MINOR = 31;
  private static final int MINOR = 39;
  private static final int PAGE_BYTES = 4096;
  private static final int BACKGROUND = 64;

  private static final long WANTED =
      Init.ASYNC_READ
          | Init.POSIX_LOCKS
          | Init.ATOMIC_TRUNCATE
          | Init.EXPORT
          | Init.BIG_WRITES
          | Init.FLOCK_LOCKS
          | Init.READDIRPLUS
          | Init.READDIRPLUS_AUTO
          | Init.ASYNC_DIRECT
          | Init.PARALLEL_DIRECTORIES
          | Init.MAX_PAGES
          | Init.CACHE_LINKS
          | Init.KILL_RIGHTS
          | Init.EXTENDED
          | Init.DIRECT_MAPPED;

  private Negotiation() {}

  /**
   * Answers INIT.
   *
   * @param pages decides whether the kernel is told when to drop bytes, or else finds out by
   *     attributes; is told what the kernel can map
   */
  static void answer(Request request, Reply reply, KernelPages pages) throws Refusal {
    int major = request.i4(Structs.Init.MAJOR);
    int minor = request.i4(Structs.Init.MINOR);
    if (major < MAJOR || major == MAJOR && minor < LEAST_MINOR) {
      throw new Refusal(Errno.EPROTO);
    }
    int at = reply.add(Structs.Init.OUT_BYTES);
    reply.put4(at + Structs.Init.MAJOR, MAJOR);
    if (major > MAJOR) { // the kernel asks again, with this version
      return;
    }
    long dropping = pages.areDroppedHere() ? Init.TOLD_INVALIDATE : Init.AUTO_INVALIDATE;
    long flags = offered(request) & (WANTED | dropping);
    pages.mapsDirect((flags & Init.DIRECT_MAPPED) != 0);
    reply.put4(at + Structs.Init.MINOR, Math.min(minor, MINOR));
    reply.put4(at + Structs.Init.MAX_READAHEAD, request.i4(Structs.Init.MAX_READAHEAD));
    reply.put4(at + Structs.Init.FLAGS, (int) flags);
    reply.put2(at + Structs.Init.MAX_BACKGROUND, BACKGROUND);
    reply.put2(at + Structs.Init.CONGESTION, BACKGROUND * 3 / 4);
    reply.put4(at + Structs.Init.MAX_WRITE, LARGEST_TRANSFER);
    reply.put4(at + Structs.Init.TIME_GRANULARITY, 1);
    reply.put2(at + Structs.Init.MAX_PAGES, LARGEST_TRANSFER / PAGE_BYTES);
    reply.put4(at + Structs.Init.OUT_FLAGS2, (int) (flags >>> Integer.SIZE));
  }

  private static long offered(Request request) {
    long low = request.u4(Structs.Init.FLAGS);
    boolean extended = (low & Init.EXTENDED) != 0 && request.has(Structs.Init.IN_FLAGS2 + 4);
    return extended ? low | request.u4(Structs.Init.IN_FLAGS2) << Integer.SIZE : low;
  }
}
