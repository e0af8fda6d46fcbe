package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioRequest;
import org.millrace.heritage.elio.ElioFile;
import org.millrace.heritage.elio.ElioRequest;
import org.millrace.layout.Layout;

/**
 * A logical file over the components of Distant I/O: stripe units go to the components in turn, so
 * that a request becomes one request to each component that it touches, all under way at once.
 *
 * <p>Nobody keeps the file's size: it is what the components' ends imply. A component may therefore
 * be too short for a read that lies before the end of the file; Distant I/O then gives zeros and
 * extends that component (the paper's figure 4). Only before a read that goes beyond what is known
 * of the size are the components asked for it.
 *
 * <p>Belongs to the rank's thread.
 */
final class StripedFile implements ElioFile {

  // constant after construction
  private final Dio dio;
  private final DioHandle handle;

  /** The file was seen to be at least so long; it never becomes shorter. */
  private long knownEnd;

  StripedFile(Dio dio, DioHandle handle) {
    this.dio = dio;
    this.handle = handle;
  }

  @Override
  public ElioRequest read(long offset, MemorySegment into) throws IOException {
    long bytes = into.byteSize();
    if (bytes > knownEnd - offset) {
      knownEnd = Math.max(knownEnd, handle.plainSize());
    }
    long there = Math.clamp(knownEnd - offset, 0, bytes);
    return start(true, offset, into.asSlice(0, there));
  }

  @Override
  public ElioRequest write(long offset, MemorySegment from) throws IOException {
    return start(false, offset, from);
  }

  /** What a request wants of one component, whose part of it is contiguous there. */
  private record Share(long offset, List<MemorySegment> memory) {}

  private ElioRequest start(boolean read, long offset, MemorySegment memory) throws IOException {
    Map<Integer, Share> shares = shares(offset, memory);
    Striped all = new Striped(dio, new ArrayList<>(), memory.byteSize());
    try {
      for (Map.Entry<Integer, Share> one : shares.entrySet()) {
        DioRequest request = new DioRequest();
        Share share = one.getValue();
        if (read) {
          dio.dio_read(handle, share.offset, share.memory, one.getKey(), request);
        } else {
          dio.dio_write(handle, share.offset, share.memory, one.getKey(), request);
        }
        all.requests.add(request);
      }
    } catch (IOException | RuntimeException e) {
      giveUp(all, e);
      throw e;
    }
    return all;
  }

  /** The memory is the caller's again only when nothing moves any more. */
  private static void giveUp(Striped begun, Exception e) {
    try {
      begun.await();
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }

  private Map<Integer, Share> shares(long offset, MemorySegment memory) {
    Layout layout = handle.layout();
    long unit = layout.stripeUnitBytes();
    Map<Integer, Share> shares = new TreeMap<>();
    for (long at = 0; at < memory.byteSize(); ) {
      long place = offset + at;
      long piece = Math.min(unit - place % unit, memory.byteSize() - at);
      shares
          .computeIfAbsent(
              layout.strandOf(place), _ -> new Share(layout.strandOffset(place), new ArrayList<>()))
          .memory
          .add(memory.asSlice(at, piece));
      at += piece;
    }
    return shares;
  }

  /** A request to several components. Belongs to the rank's thread. */
  private static final class Striped implements ElioRequest {

    private final Dio dio;
    private final List<DioRequest> requests;
    private final long bytes;
    private @Nullable IOException failure;

    Striped(Dio dio, List<DioRequest> requests, long bytes) {
      this.dio = dio;
      this.requests = requests;
      this.bytes = bytes;
    }

    @Override
    public boolean isDone() {
      return requests.stream().allMatch(DioRequest::isDone);
    }

    @Override
    public long await() throws IOException {
      try {
        dio.dio_waitall(requests);
      } catch (IOException e) {
        failure = e;
      }
      if (failure != null) {
        throw failure;
      }
      return bytes;
    }
  }

  @Override
  public long size() throws IOException {
    return handle.plainSize();
  }

  @Override
  public long stripeUnitBytes() {
    return handle.layout().stripeUnitBytes();
  }

  @Override
  public void close() throws IOException {
    handle.close();
  }
}
