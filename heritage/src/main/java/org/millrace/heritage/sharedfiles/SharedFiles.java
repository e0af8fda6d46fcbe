package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Agreement;
import org.millrace.client.HeldLock;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.elio.ElioDevice;
import org.millrace.heritage.elio.ElioHints;

/**
 * The calls of Shared Files for one rank. Reads and writes name their place, return at once, and
 * are complete after {@link #sf_wait}; nothing keeps overlapping accesses of several processes in
 * order, for which there are {@linkplain #lock locks}. Bytes that nobody wrote are zero.
 *
 * <p>The path of a file chooses the device of ELIO that holds it, {@linkplain ElioChoice#bySharing
 * as in the paper} unless the program brings a choice of its own. All devices have the same rules.
 *
 * <p>The paper calls a read beyond the end of the file erroneous and its result undefined: here
 * {@link #sf_wait} throws, and the buffer holds what there was. It is silent about a name that
 * exists: here {@link #sf_create} makes the file anew, unless somebody has it open. It has no way
 * to open a file again, since its files need not outlive the program: {@link #sf_open} and {@link
 * #sf_close} are ours.
 *
 * <p>Belongs to the rank's thread.
 */
@SuppressWarnings("MemberName") // the paper's names
public final class SharedFiles {

  // constant after construction
  private final Rank rank;
  private final ElioChoice choice;

  /** Shared Files of a rank, on the devices that the paper has. */
  public SharedFiles(Rank rank) {
    this(rank, ElioChoice.bySharing());
  }

  /** Shared Files of a rank, on other devices. */
  public SharedFiles(Rank rank, ElioChoice choice) {
    this.rank = rank;
    this.choice = choice;
  }

  /**
   * Makes a file of that name, empty, in place of any that has it. Collective: all must give the
   * same. If it fails it fails on all ranks, and a file of that name is as it was.
   *
   * @param sizeHints how large it may become
   * @param typicalRequest bytes of most requests, which becomes the stripe unit, so that such a
   *     request concerns one disk or two; 0 if nobody knows
   */
  public SfHandle sf_create(String name, SizeHints sizeHints, long typicalRequest)
      throws IOException {
    rank.agree(
            Agreement.on("sf_create", name, sizeHints, typicalRequest)
                .giving("name", name)
                .giving("size hints", sizeHints)
                .checking(() -> hints(sizeHints, typicalRequest)))
        .orThrow();
    ElioHints hints = hints(sizeHints, typicalRequest);
    ElioDevice device = choice.of(rank, name);
    return new SfHandle(name, device, device.create(rank, name, hints));
  }

  /** Opens a file that exists, written by whatever interface. Collective. */
  public SfHandle sf_open(String name) throws IOException {
    rank.agree(Agreement.on("sf_open", name).giving("name", name)).orThrow();
    ElioDevice device = choice.of(rank, name);
    return new SfHandle(name, device, device.open(rank, name));
  }

  private static ElioHints hints(SizeHints sizeHints, long typicalRequest) {
    return new ElioHints(sizeHints.expectedBytes(), typicalRequest);
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
    var moving = handle.file().write(offset, source);
    request.begin(new SfRequest.Pending("write", handle, offset, bytes, moving));
  }

  /** As {@link #sf_write(SfHandle, long, long, MemorySegment, SfRequest)}, of a whole array. */
  public void sf_write(SfHandle handle, long offset, byte[] buffer, SfRequest request)
      throws IOException {
    sf_write(handle, offset, buffer.length, MemorySegment.ofArray(buffer), request);
  }

  /** As {@link #sf_write(SfHandle, long, long, MemorySegment, SfRequest)}, of a whole array. */
  public void sf_write(SfHandle handle, long offset, int[] buffer, SfRequest request)
      throws IOException {
    MemorySegment whole = MemorySegment.ofArray(buffer);
    sf_write(handle, offset, whole.byteSize(), whole, request);
  }

  /** As {@link #sf_write(SfHandle, long, long, MemorySegment, SfRequest)}, of a whole array. */
  public void sf_write(SfHandle handle, long offset, double[] buffer, SfRequest request)
      throws IOException {
    MemorySegment whole = MemorySegment.ofArray(buffer);
    sf_write(handle, offset, whole.byteSize(), whole, request);
  }

  /**
   * As {@link #sf_write(SfHandle, long, long, MemorySegment, SfRequest)}, of what lies between a
   * buffer's position and its limit, neither of which moves.
   */
  public void sf_write(SfHandle handle, long offset, ByteBuffer buffer, SfRequest request)
      throws IOException {
    sf_write(handle, offset, buffer.remaining(), MemorySegment.ofBuffer(buffer), request);
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
    var moving = handle.file().read(offset, target);
    request.begin(new SfRequest.Pending("read", handle, offset, bytes, moving));
  }

  /** As {@link #sf_read(SfHandle, long, long, MemorySegment, SfRequest)}, into a whole array. */
  public void sf_read(SfHandle handle, long offset, byte[] buffer, SfRequest request)
      throws IOException {
    sf_read(handle, offset, buffer.length, MemorySegment.ofArray(buffer), request);
  }

  /** As {@link #sf_read(SfHandle, long, long, MemorySegment, SfRequest)}, into a whole array. */
  public void sf_read(SfHandle handle, long offset, int[] buffer, SfRequest request)
      throws IOException {
    MemorySegment whole = MemorySegment.ofArray(buffer);
    sf_read(handle, offset, whole.byteSize(), whole, request);
  }

  /** As {@link #sf_read(SfHandle, long, long, MemorySegment, SfRequest)}, into a whole array. */
  public void sf_read(SfHandle handle, long offset, double[] buffer, SfRequest request)
      throws IOException {
    MemorySegment whole = MemorySegment.ofArray(buffer);
    sf_read(handle, offset, whole.byteSize(), whole, request);
  }

  /**
   * As {@link #sf_read(SfHandle, long, long, MemorySegment, SfRequest)}, from a buffer's position
   * to its limit, neither of which moves.
   */
  public void sf_read(SfHandle handle, long offset, ByteBuffer buffer, SfRequest request)
      throws IOException {
    sf_read(handle, offset, buffer.remaining(), MemorySegment.ofBuffer(buffer), request);
  }

  private static MemorySegment part(MemorySegment buffer, long offset, long bytes) {
    if (offset < 0 || offset + bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes at offset " + offset);
    }
    if (bytes < 0 || bytes > buffer.byteSize()) {
      throw new IllegalArgumentException(
          bytes + " bytes of a buffer of " + buffer.byteSize() + " bytes");
    }
    if (!buffer.isAccessibleBy(Env.ANY_THREAD)) { // on every device: programs must not depend on it
      throw new WrongThreadException(
          "an asynchronous call needs memory of a shared or automatic arena, not of a confined one");
    }
    return buffer.asSlice(0, bytes);
  }

  /**
   * Waits until a request is complete, and frees it. A request that is not under way is complete.
   */
  public void sf_wait(SfRequest request) throws IOException {
    SfRequest.Pending pending = request.take();
    if (pending == null) {
      return;
    }
    long moved = pending.moving().await();
    if (moved < pending.bytes()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s goes beyond the end of the file, after %s".formatted(pending.what(), moved));
    }
  }

  /** Whether a request is complete; if so, it is as after {@link #sf_wait}. Does not wait. */
  public boolean sf_test(SfRequest request) throws IOException {
    if (!request.isDone()) {
      return false;
    }
    sf_wait(request);
    return true;
  }

  /** Waits for all these requests, also after one that failed; then throws the first error. */
  public void sf_waitall(List<SfRequest> requests) throws IOException {
    IOException failure = null;
    RuntimeException wrong = null;
    for (SfRequest request : requests) {
      try {
        sf_wait(request);
      } catch (IOException e) {
        failure = first(failure, e);
      } catch (RuntimeException e) {
        wrong = first(wrong, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    if (wrong != null) {
      throw wrong;
    }
  }

  private static <E extends Exception> E first(@Nullable E earlier, E now) {
    if (earlier == null) {
      return now;
    }
    earlier.addSuppressed(now);
    return earlier;
  }

  /**
   * Takes the group's lock of a number, for reading, changing and writing back a record: one rank
   * at a time. Wait for the write with {@link #sf_wait} before giving the lock back. The original's
   * programs took it from the Global Arrays library.
   */
  public HeldLock lock(SfHandle handle, long number) throws IOException {
    return rank.lock("sf " + handle.name() + " " + number);
  }

  /**
   * Completes this rank's requests, whose results are kept for {@link #sf_wait}, and closes the
   * file, which stays. Not synchronizing.
   */
  public void sf_close(SfHandle handle) throws IOException {
    handle.close();
  }

  /** Closes the file on all ranks and removes it from all disks. Collective. */
  public void sf_destroy(SfHandle handle) throws IOException {
    rank.agree(
            Agreement.on("sf_destroy", handle == null ? "" : handle.name())
                .giving("handle", handle))
        .orThrow();
    rank.together("close " + handle.name(), handle::close);
    handle.device().remove(rank, handle.name());
  }
}
