package org.millrace.heritage.dio;

import org.jspecify.annotations.Nullable;

/**
 * The request handle of a call that does not wait: given to {@code dio_read} or {@code dio_write},
 * then to {@code dio_wait}, {@code dio_waitall} or {@code dio_test}, after which it is free for
 * another call.
 *
 * <p>Belongs to the rank's thread.
 */
public final class DioRequest {

  private @Nullable Operation operation;

  /** A request handle that no call uses yet. */
  public DioRequest() {}

  /** Whether a call that was started with it has not been waited for. */
  public boolean isPending() {
    return operation != null;
  }

  /** Whether there is nothing to wait for: what it was given to is complete, well or not. */
  public boolean isDone() {
    return operation == null || operation.isDone();
  }

  void checkFree() {
    if (operation != null) {
      throw new IllegalStateException("the request is under way: dio_wait for it first");
    }
  }

  void begin(Operation started) {
    operation = started;
  }

  @Nullable Operation take() {
    Operation taken = operation;
    operation = null;
    return taken;
  }
}
