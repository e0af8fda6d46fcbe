package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The calls of Distant I/O for one rank. A registered file has a component file for each home
 * processor, with a size of its own; every access names the processor whose component it means, and
 * an offset in it instead of a pointer. The owner of a component need not call anything: all but
 * registration is one-sided.
 *
 * <p>The paper names {@code dio_read}, {@code dio_write} and {@code dio_wait}; it is silent about
 * the names of registration, of the directory, of the size and of the test for completion, which
 * are ours. Of a file that Millrace keeps, processor p's component lies on node p, however many
 * ranks there are. Of {@linkplain #dio_register(String, Optional, DioMode) local files}, it is rank
 * p's own, which a thread of rank p serves to the others.
 *
 * <p>Reading beyond the end of a component is an error in the standard mode; in the mode that was
 * made for Shared Files it gives zeros and extends the component, when the read is completed and
 * without writing over what others may have written there meanwhile.
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

  /** As {@link #dio_register(String, DioMode)}, in the standard mode. */
  public DioHandle dio_register(String name) throws IOException {
    return dio_register(name, DioMode.STANDARD);
  }

  /**
   * Registers a file that nodes keep, made by whatever interface, for access by all ranks: its
   * strands are the components. Collective: all must give the same.
   */
  public DioHandle dio_register(String name, DioMode mode) throws IOException {
    rank.together("dio_register " + name + " " + mode, () -> Objects.requireNonNull(name, "name"));
    return onNodes(rank, name, mode, OpenOptions.readWrite(), Optional.empty());
  }

  /**
   * Registers local files that exist, one of each rank: that of rank p is processor p's component.
   * Collective; each rank gives its own, or none, and then has no component. {@link
   * #dio_deregister} is collective, too: a file is served until nobody can ask for it.
   */
  public DioHandle dio_register(String name, Optional<Path> local, DioMode mode)
      throws IOException {
    String call = "dio_register of local files as " + name + " " + mode;
    return new DioHandle(rank, name, mode, LocalComponents.open(rank, call, local));
  }

  /** As {@link #dio_create(String, long, DioMode)}, in the standard mode. */
  public DioHandle dio_create(String name, long unitBytes) throws IOException {
    return dio_create(name, unitBytes, DioMode.STANDARD);
  }

  /**
   * Makes a file with an empty component on every node and registers it. It takes the place of a
   * file of this name that nobody has open; if it cannot be made, that stays as it was. Collective.
   *
   * @param unitBytes how many bytes go to a component before the next one's turn, for interfaces
   *     that see all components as one plain file
   */
  public DioHandle dio_create(String name, long unitBytes, DioMode mode) throws IOException {
    rank.together(
        "dio_create " + name + " " + unitBytes + " " + mode,
        () -> {
          if (rank.number() == 0) {
            replace(
                Objects.requireNonNull(name, "name"),
                OpenOptions.create().withExclusive().withFirstNode(0).withStripeUnit(unitBytes));
          }
        });
    return onNodes(rank, name, mode, OpenOptions.readWrite(), Optional.empty());
  }

  /** Makes a file under another name first: what has this one goes only when all went well. */
  private void replace(String name, OpenOptions options) throws IOException {
    String fresh = "%s.%016x.new".formatted(name, Env.real().random("new name").nextLong());
    Rank lone = rank.alone();
    try {
      lone.open(fresh, options).close();
      try {
        rank.names().replaceUnused(fresh, name);
      } catch (IOException e) {
        rank.names().remove(fresh);
        throw e;
      }
    } finally {
      lone.leave("");
    }
  }

  /** As {@link #dio_lookup(String, DioMode)}, in the standard mode. */
  public DioHandle dio_lookup(String name) throws IOException {
    return dio_lookup(name, DioMode.STANDARD);
  }

  /** Finds a file that nodes keep in the directory, by this rank alone. */
  public DioHandle dio_lookup(String name, DioMode mode) throws IOException {
    Rank lone = rank.alone();
    try {
      return onNodes(lone, name, mode, OpenOptions.readWrite(), Optional.of(lone));
    } catch (IOException | RuntimeException e) {
      try {
        lone.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  private DioHandle onNodes(
      Rank opener, String name, DioMode mode, OpenOptions options, Optional<Rank> lone)
      throws IOException {
    SharedFile file = opener.open(name, options);
    return new DioHandle(rank, name, mode, new NodeComponents(file, lone));
  }

  /**
   * Completes this rank's requests, makes what was written durable and gives the handle back. The
   * results of those requests are kept for {@link #dio_wait}. Synchronizing only for local files.
   */
  public void dio_deregister(DioHandle handle) throws IOException {
    handle.close();
  }

  /** The size of a processor's component in bytes. */
  public long dio_size(DioHandle handle, int proc) throws IOException {
    return handle.files().size(handle.checkProc(proc));
  }

  /**
   * Takes room on the nodes' disks for components that together hold so many bytes, and leaves them
   * as long as they are: for callers that know how much will come. Only a hint: if the disks have
   * not so much, nothing is taken and nothing is wrong. Collective; not for local files.
   */
  public void dio_reserve(DioHandle handle, long bytes) throws IOException {
    try {
      handle.plain().reserve(bytes);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DISK_FULL && e.code() != ErrorCode.DISK) {
        throw e;
      }
    }
  }

  /**
   * Reads {@code bytes} bytes from {@code offset} on of processor {@code proc}'s component. Returns
   * at once; the buffer is the request's until it is complete.
   */
  public void dio_read(
      DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc, DioRequest request)
      throws IOException {
    start(true, handle, offset, List.of(part(buffer, bytes)), proc, request);
  }

  /** As {@link #dio_read(DioHandle, long, MemorySegment, long, int, DioRequest)}, and waits. */
  public void dio_read(DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc)
      throws IOException {
    DioRequest request = new DioRequest();
    dio_read(handle, offset, buffer, bytes, proc, request);
    dio_wait(request);
  }

  /** As {@link #dio_read(DioHandle, long, List, int, DioRequest)}, into a whole array. */
  public void dio_read(DioHandle handle, long offset, byte[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_read(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /** As {@link #dio_read(DioHandle, long, List, int, DioRequest)}, into a whole array. */
  public void dio_read(DioHandle handle, long offset, int[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_read(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /** As {@link #dio_read(DioHandle, long, List, int, DioRequest)}, into a whole array. */
  public void dio_read(DioHandle handle, long offset, double[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_read(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /**
   * As {@link #dio_read(DioHandle, long, List, int, DioRequest)}, from a buffer's position to its
   * limit, neither of which moves.
   */
  public void dio_read(
      DioHandle handle, long offset, ByteBuffer buffer, int proc, DioRequest request)
      throws IOException {
    dio_read(handle, offset, List.of(MemorySegment.ofBuffer(buffer)), proc, request);
  }

  /** As the others, into several pieces of memory, one after the other. */
  public void dio_read(
      DioHandle handle, long offset, List<MemorySegment> buffers, int proc, DioRequest request)
      throws IOException {
    start(true, handle, offset, buffers, proc, request);
  }

  /**
   * Writes {@code bytes} bytes from {@code offset} on to processor {@code proc}'s component.
   * Returns at once; the buffer must stay as it is until the request is complete.
   */
  public void dio_write(
      DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc, DioRequest request)
      throws IOException {
    start(false, handle, offset, List.of(part(buffer, bytes)), proc, request);
  }

  /** As {@link #dio_write(DioHandle, long, MemorySegment, long, int, DioRequest)}, and waits. */
  public void dio_write(DioHandle handle, long offset, MemorySegment buffer, long bytes, int proc)
      throws IOException {
    DioRequest request = new DioRequest();
    dio_write(handle, offset, buffer, bytes, proc, request);
    dio_wait(request);
  }

  /** As {@link #dio_write(DioHandle, long, List, int, DioRequest)}, from a whole array. */
  public void dio_write(DioHandle handle, long offset, byte[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_write(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /** As {@link #dio_write(DioHandle, long, List, int, DioRequest)}, from a whole array. */
  public void dio_write(DioHandle handle, long offset, int[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_write(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /** As {@link #dio_write(DioHandle, long, List, int, DioRequest)}, from a whole array. */
  public void dio_write(
      DioHandle handle, long offset, double[] buffer, int proc, DioRequest request)
      throws IOException {
    dio_write(handle, offset, List.of(MemorySegment.ofArray(buffer)), proc, request);
  }

  /**
   * As {@link #dio_write(DioHandle, long, List, int, DioRequest)}, from a buffer's position to its
   * limit, neither of which moves.
   */
  public void dio_write(
      DioHandle handle, long offset, ByteBuffer buffer, int proc, DioRequest request)
      throws IOException {
    dio_write(handle, offset, List.of(MemorySegment.ofBuffer(buffer)), proc, request);
  }

  /** As the others, from several pieces of memory, one after the other. */
  public void dio_write(
      DioHandle handle, long offset, List<MemorySegment> buffers, int proc, DioRequest request)
      throws IOException {
    start(false, handle, offset, buffers, proc, request);
  }

  private static void start(
      boolean isRead,
      DioHandle handle,
      long offset,
      List<MemorySegment> memory,
      int proc,
      DioRequest request)
      throws IOException {
    request.checkFree();
    handle.checkProc(proc);
    long bytes = memory.stream().mapToLong(MemorySegment::byteSize).reduce(0, Math::addExact);
    if (offset < 0 || offset > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException(bytes + " bytes at offset " + offset);
    }
    if (isRead && memory.stream().anyMatch(MemorySegment::isReadOnly)) {
      throw new IllegalArgumentException("cannot read into read-only memory: " + memory);
    }
    var wanted = new Operation.Wanted(isRead, proc, offset, List.copyOf(memory), bytes);
    Components files = handle.files();
    CompletableFuture<Long> moving =
        isRead ? files.read(proc, offset, memory) : files.write(proc, offset, memory);
    request.begin(handle.begun(new Operation(handle, wanted, moving)));
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
    Operation operation = request.take();
    if (operation != null) {
      operation.finish();
      operation.check();
    }
  }

  /** Waits for all these requests, also after one that failed; then throws the first error. */
  public void dio_waitall(List<DioRequest> requests) throws IOException {
    IOException failure = null;
    RuntimeException wrong = null;
    for (DioRequest request : requests) {
      try {
        dio_wait(request);
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

  /** Whether a request is complete; if so, it is as after {@link #dio_wait}. Does not wait. */
  public boolean dio_test(DioRequest request) throws IOException {
    if (!request.isDone()) {
      return false;
    }
    dio_wait(request);
    return true;
  }

  /** Removes a file with all its components. Refused while anybody has it registered. */
  public void dio_unlink(String name) throws IOException {
    rank.names().removeUnused(name);
  }
}
