package org.millrace.heritage.dio;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The request handle of a call that does not wait: given to {@code dio_read} or {@code dio_write},
 * then to {@code dio_wait} or {@code dio_test}, after which it is free for another call.
 *
 * <p>Belongs to the rank's thread.
 */
public final class DioRequest {

  /**
   * What is under way.
   *
   * @param handle of what file
   * @param moving completed with the bytes moved
   * @param buffer to fill with zeros where the component ends; empty for a write
   * @param offset of the component
   * @param proc whose component
   */
  record Pending(
      DioHandle handle,
      CompletableFuture<Long> moving,
      MemorySegment buffer,
      long offset,
      int proc) {}

  private @Nullable Pending pending;

  /** A request handle that no call uses yet. */
  public DioRequest() {}

  /** Whether a call that was started with it has not been waited for. */
  public boolean isPending() {
    return pending != null;
  }

  void checkFree() {
    if (pending != null) {
      throw new IllegalStateException("the request is under way: dio_wait for it first");
    }
  }

  void begin(Pending started) {
    pending = started;
  }

  @Nullable Pending pending() {
    return pending;
  }

  void end() {
    pending = null;
  }
}
