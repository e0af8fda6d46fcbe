package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something that a rank works out for a collective call before it comes: it may fail, and then the
 * call fails on all ranks. Belongs to one thread.
 */
final class Agreed<T> implements Handle.Check {

  private final @Nullable T value;
  private final @Nullable MpiFileException refusal;

  Agreed(Handle.Act<T> act) {
    @Nullable T found = null;
    MpiFileException wrong = null;
    try {
      found = act.run();
    } catch (IOException | RuntimeException e) {
      wrong = MpiFileException.of(e);
    }
    this.value = found;
    this.refusal = wrong;
  }

  /** What of it must be the same on all ranks. */
  String same(Function<T, String> part) {
    return value == null ? "nothing" : part.apply(value);
  }

  @Override
  public void run() throws MpiFileException {
    if (refusal != null) {
      throw refusal;
    }
  }

  /** What was worked out; not before all ranks have agreed. */
  T value() throws MpiFileException {
    run();
    if (value == null) {
      throw new IllegalStateException("nothing was worked out");
    }
    return value;
  }
}
