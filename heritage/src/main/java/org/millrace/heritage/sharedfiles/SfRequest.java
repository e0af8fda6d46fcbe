package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.heritage.elio.ElioRequest;

/**
 * The request id of {@code sf_read} and {@code sf_write}; free again after {@code sf_wait}.
 *
 * <p>Belongs to the rank's thread.
 */
public final class SfRequest {

  /**
   * What is under way.
   *
   * @param call as an error names it
   * @param bytes that must move
   * @param moving the device's request
   */
  record Pending(String call, SfHandle handle, long offset, long bytes, ElioRequest moving) {

    /** For people; made only when something is wrong, since it takes as long as a small read. */
    String what() {
      return "%s of %s bytes at %s of %s".formatted(call, bytes, offset, handle.name());
    }
  }

  private @Nullable Pending pending;

  /** A request id that no call uses yet. */
  public SfRequest() {}

  /** Whether a call that was started with it has not been waited for. */
  public boolean isPending() {
    return pending != null;
  }

  boolean isDone() throws IOException {
    return pending == null || pending.moving.isDone();
  }

  void checkFree() {
    if (pending != null) {
      throw new IllegalStateException("the request is under way: sf_wait for it first");
    }
  }

  void begin(Pending started) {
    pending = started;
  }

  @Nullable Pending take() {
    Pending taken = pending;
    pending = null;
    return taken;
  }
}
