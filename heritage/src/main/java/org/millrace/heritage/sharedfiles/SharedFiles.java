package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.millrace.client.HeldLock;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * The calls of Shared Files for one rank. Reads and writes name their place, return at once, and
 * are complete after {@link #sf_wait}; nothing keeps overlapping accesses of several processes in
 * order, for which there are {@linkplain #lock locks}. Bytes that nobody wrote are zero.
 *
 * <p>By its path a file lies on the strands of all nodes, or, if the path is absolute, on a file
 * system that all processes share. The original looked up what the path pointed to.
 *
 * <p>The paper calls a read beyond the end of the file erroneous and its result undefined: here
 * {@link #sf_wait} throws, and the buffer holds what there was. It is silent about a name that
 * exists: here {@link #sf_create} makes the file anew. It has no way to open a file again, since
 * its files need not outlive the program: {@link #sf_open} and {@link #sf_close} are ours.
 *
 * <p>Belongs to the rank's thread.
 */
@SuppressWarnings("MemberName") // the paper's names
public final class SharedFiles {

  /** Stripe unit of a file whose typical request nobody knows, as the paper has it. */
  public static final long DEFAULT_UNIT = 32 << 10;

  /** Smallest stripe unit: requests below it are not made smaller still. */
  public static final long LEAST_UNIT = 4 << 10;

  private final Rank rank;

  /** Shared Files of a rank. */
  public SharedFiles(Rank rank) {
    this.rank = rank;
  }

  /**
   * Makes a file of that name, empty, in place of any that has it. Collective: all must give the
   * same.
   *
   * @param sizeHints how large it may become
   * @param typicalRequest bytes of most requests, which becomes the stripe unit, so that such a
   *     request concerns one disk or two; 0 if nobody knows
   */
  public SfHandle sf_create(String name, SizeHints sizeHints, long typicalRequest)
      throws IOException {
    checkSame("sf_create", name, sizeHints, typicalRequest); // before the old file is gone
    if (typicalRequest < 0) {
      throw new IllegalArgumentException("typical request of " + typicalRequest + " bytes");
    }
    if (isOnSharedFileSystem(name)) {
      return onPath(name, true);
    }
    IOException notRemoved = rank.number() == 0 ? removeOld(name) : null;
    OpenOptions fresh = OpenOptions.create().withExclusive().withStripeUnit(unit(typicalRequest));
    try {
      return onStrands(name, fresh);
    } catch (IOException e) { // on all ranks, since the name is still there
      if (notRemoved != null) {
        e.addSuppressed(notRemoved);
      }
      throw e;
    }
  }

  private static long unit(long typicalRequest) {
    return typicalRequest == 0 ? DEFAULT_UNIT : Math.max(LEAST_UNIT, typicalRequest);
  }

  private @Nullable IOException removeOld(String name) {
    try {
      rank.names().remove(name);
      return null;
    } catch (NoSuchNameException e) {
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /** Opens a file that exists, written by whatever interface. Collective. */
  public SfHandle sf_open(String name) throws IOException {
    if (isOnSharedFileSystem(name)) {
      checkSame("sf_open", name, SizeHints.NONE, 0); // the file system cannot tell
      return onPath(name, false);
    }
    return onStrands(name, OpenOptions.readWrite());
  }

  private static boolean isOnSharedFileSystem(String name) {
    return name.startsWith("/");
  }

  private SfHandle onStrands(String name, OpenOptions options) throws IOException {
    return new SfHandle(name, new StrandFile(rank.open(name, options), rank.names()));
  }

  private void checkSame(String call, String name, SizeHints hints, long typicalRequest)
      throws IOException {
    String mine = "%s %s %s %d".formatted(call, name, hints, typicalRequest);
    List<byte[]> all = rank.allGather(mine.getBytes(StandardCharsets.UTF_8));
    for (byte[] one : all) {
      String other = new String(one, StandardCharsets.UTF_8);
      if (!other.equals(mine)) {
        throw MillraceException.of(
            ErrorCode.MIXED_CALL, "ranks called \"%s\" and \"%s\"".formatted(mine, other));
      }
    }
  }

  private SfHandle onPath(String name, boolean create) throws IOException {
    Path path = Path.of(name);
    rank.together(
        "create",
        () -> {
          if (create && rank.number() == 0) {
            PathFile.open(path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
                .close();
          }
        });
    ElioFile[] opened = new ElioFile[1];
    try {
      rank.together("open", () -> opened[0] = PathFile.open(path));
    } catch (IOException e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
    return new SfHandle(name, opened[0]);
  }

  /**
   * Starts to write {@code bytes} bytes at {@code offset}; the file grows if it must. The buffer
   * must stay as it is until the request is complete.
   */
  public void sf_write(
      SfHandle handle, long offset, long bytes, MemorySegment buffer, SfRequest request)
      throws IOException {
    request.checkFree();
    MemorySegment source = part(buffer, offset, bytes);
    var moving = handle.device().write(offset, source);
    request.begin(new SfRequest.Pending(say("write", handle, offset, bytes), bytes, moving));
  }

  /**
   * Starts to read {@code bytes} bytes at {@code offset}, all of which must lie before the end of
   * the file. The buffer is the request's until it is complete.
   */
  public void sf_read(
      SfHandle handle, long offset, long bytes, MemorySegment buffer, SfRequest request)
      throws IOException {
    request.checkFree();
    MemorySegment target = part(buffer, offset, bytes);
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("cannot read into read-only memory: " + target);
    }
    var moving = handle.device().read(offset, target);
    request.begin(new SfRequest.Pending(say("read", handle, offset, bytes), bytes, moving));
  }

  private static MemorySegment part(MemorySegment buffer, long offset, long bytes) {
    if (offset < 0 || offset + bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes at offset " + offset);
    }
    if (bytes < 0 || bytes > buffer.byteSize()) {
      throw new IllegalArgumentException(
          bytes + " bytes of a buffer of " + buffer.byteSize() + " bytes");
    }
    return buffer.asSlice(0, bytes);
  }

  private static String say(String verb, SfHandle handle, long offset, long bytes) {
    return "%s of %d bytes at %d of %s".formatted(verb, bytes, offset, handle.name());
  }

  /**
   * Waits until a request is complete, and frees it. A request that is not under way is complete.
   */
  public void sf_wait(SfRequest request) throws IOException {
    SfRequest.Pending pending = request.take();
    if (pending == null) {
      return;
    }
    long moved;
    try {
      moved = pending.moving().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw e;
    }
    if (moved < pending.bytes()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s goes beyond the end of the file, after %d".formatted(pending.what(), moved));
    }
  }

  /** Waits for all these requests, also after one that failed; then throws its error. */
  public void sf_waitall(List<SfRequest> requests) throws IOException {
    IOException failure = null;
    for (SfRequest request : requests) {
      try {
        sf_wait(request);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Takes the group's lock of a number, for reading, changing and writing back a record: one rank
   * at a time. Wait for the write with {@link #sf_wait} before giving the lock back. The original's
   * programs took it from the Global Arrays library.
   */
  public HeldLock lock(SfHandle handle, long number) throws IOException {
    return rank.lock("sf " + handle.name() + " " + number);
  }

  /** Waits for this rank's requests and closes the file, which stays. Not synchronizing. */
  public void sf_close(SfHandle handle) throws IOException {
    handle.device().close();
  }

  /** Closes the file on all ranks and removes it from all disks. Collective. */
  public void sf_destroy(SfHandle handle) throws IOException {
    rank.together("close", () -> handle.device().close());
    rank.together(
        "destroy",
        () -> {
          if (rank.number() == 0) {
            handle.device().remove();
          }
        });
  }
}
