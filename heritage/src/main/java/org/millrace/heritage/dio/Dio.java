package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The calls of Distant I/O for one rank. A file has a component on each node's disk; every access
 * names the home processor whose component it means, and an offset in it instead of a pointer. The
 * owner of a component need not call anything: all but registration is one-sided.
 *
 * <p>The paper names {@code dio_read}, {@code dio_write} and {@code dio_wait}; it is silent about
 * the names of registration, of the directory and of the test for completion, which are ours. Its
 * processors each have one disk: here processor p is node p, however many ranks there are.
 *
 * <p>Reading beyond the end of a component gives zeros and extends the component, as Shared Files
 * needed it. The component is extended when the read is completed, without writing over what others
 * may have written there meanwhile. How far a component reaches is what the size of the plain file
 * implies, so that a short component of a longer file counts as full of zeros.
 *
 * <p>Belongs to the rank's thread.
 */
@SuppressWarnings("MemberName") // the paper's names
public final class Dio {

  private final Rank rank;

  /** Distant I/O of a rank. */
  public Dio(Rank rank) {
    this.rank = rank;
  }

  /**
   * Registers a file for access by all ranks; one that does not exist is made, with a component on
   * every node. Collective: all must give the same name.
   */
  public DioHandle dio_register(String name) throws IOException {
    return new DioHandle(rank.open(name, OpenOptions.create().withFirstNode(0)), Optional.empty());
  }

  /**
   * As {@link #dio_register}, but the file begins empty. Collective.
   *
   * @param unitBytes how many bytes of the plain file go to a component before the next one's turn,
   *     for a file that is made
   */
  public DioHandle dio_create(String name, long unitBytes) throws IOException {
    OpenOptions options =
        OpenOptions.create().withTruncate().withFirstNode(0).withStripeUnit(unitBytes);
    return new DioHandle(rank.open(name, options), Optional.empty());
  }

  /** Finds a registered file in the directory, by this rank alone. */
  public DioHandle dio_lookup(String name) throws IOException {
    Rank lone = rank.alone();
    try {
      return new DioHandle(lone.open(name, OpenOptions.readWrite()), Optional.of(lone));
    } catch (IOException | RuntimeException e) {
      try {
        lone.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  /** Makes what was written durable and gives the handle back. Not synchronizing. */
  public void dio_deregister(DioHandle handle) throws IOException {
    handle.close();
  }

  /**
   * Reads {@code bytes} bytes from {@code offset} on of processor {@code proc}'s component. Returns
   * at once; the buffer is the request's until it is complete.
   */
  public void dio_read(
      DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc, DioRequest request)
      throws IOException {
    request.checkFree();
    MemorySegment target = part(buffer, bytes);
    CompletableFuture<Long> moving = at(handle, offset, proc).readAsync(Memory.of(target));
    request.begin(new DioRequest.Pending(handle, moving, target, offset, proc));
  }

  /** As {@link #dio_read(DioHandle, long, MemorySegment, long, int, DioRequest)}, and waits. */
  public void dio_read(DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc)
      throws IOException {
    DioRequest request = new DioRequest();
    dio_read(handle, offset, buffer, bytes, proc, request);
    dio_wait(request);
  }

  /**
   * Writes {@code bytes} bytes from {@code offset} on to processor {@code proc}'s component.
   * Returns at once; the buffer must stay as it is until the request is complete.
   */
  public void dio_write(
      DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc, DioRequest request)
      throws IOException {
    request.checkFree();
    MemorySegment source = part(buffer, bytes);
    CompletableFuture<Long> moving = at(handle, offset, proc).writeAsync(Memory.of(source));
    request.begin(new DioRequest.Pending(handle, moving, MemorySegment.NULL, offset, proc));
  }

  /** As {@link #dio_write(DioHandle, long, MemorySegment, long, int, DioRequest)}, and waits. */
  public void dio_write(DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc)
      throws IOException {
    DioRequest request = new DioRequest();
    dio_write(handle, offset, buffer, bytes, proc, request);
    dio_wait(request);
  }

  private static FileAccess at(DioHandle handle, long offset, int proc) {
    return handle.file().through(handle.view(proc)).at(offset);
  }

  private static MemorySegment part(MemorySegment buffer, long bytes) {
    if (bytes < 0 || bytes > buffer.byteSize()) {
      throw new IllegalArgumentException(
          bytes + " bytes of a buffer of " + buffer.byteSize() + " bytes");
    }
    return buffer.asSlice(0, bytes);
  }

  /**
   * Waits until a request is complete, and frees it. A request that is not under way is complete.
   */
  public void dio_wait(DioRequest request) throws IOException {
    DioRequest.Pending pending = request.pending();
    if (pending == null) {
      return;
    }
    request.end();
    long moved;
    try {
      moved = pending.moving().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw e;
    }
    fillBeyondEnd(pending, moved);
  }

  /** Whether a request is complete; if so, it is as after {@link #dio_wait}. */
  public boolean dio_test(DioRequest request) throws IOException {
    DioRequest.Pending pending = request.pending();
    if (pending != null && !pending.moving().isDone()) {
      return false;
    }
    dio_wait(request);
    return true;
  }

  private static void fillBeyondEnd(DioRequest.Pending read, long moved) throws IOException {
    MemorySegment buffer = read.buffer();
    if (moved >= buffer.byteSize()) {
      return; // a write has no buffer to fill
    }
    buffer.asSlice(moved).fill((byte) 0);
    SharedFile file = read.handle().file();
    file.extend(file.layout().fileSize(read.proc(), read.offset() + buffer.byteSize()));
  }

  /** Removes a file with all its components. Refused while anybody has it registered. */
  public void dio_unlink(String name) throws IOException {
    rank.names().remove(name);
  }
}
