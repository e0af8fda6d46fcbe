package org.millrace.cluster;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several objects, even if some of them fail. Stateless. */
public final class Closing {

  private Closing() {}

  /** Closes in this order; then throws what was thrown first, with the rest suppressed. */
  public static void closeAll(List<? extends AutoCloseable> all) throws IOException {
    Exception first = closeAll(all, null);
    switch (first) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(first);
    }
  }

  /** Closes because of {@code failure}, to which what goes wrong is added. */
  public static void closeAfter(List<? extends AutoCloseable> all, Exception failure) {
    closeAll(all, failure);
  }

  private static @Nullable Exception closeAll(
      List<? extends AutoCloseable> all, @Nullable Exception failure) {
    Exception first = failure;
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (Exception e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }
}
