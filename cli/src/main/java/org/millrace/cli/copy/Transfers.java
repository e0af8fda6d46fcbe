package org.millrace.cli.copy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Waits for transfers that go on by themselves. Stateless. */
final class Transfers {

  private Transfers() {}

  /** What a transfer gave, or its error. */
  static <T> T await(CompletableFuture<T> transfer) throws IOException {
    try {
      return transfer.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case MillraceException known -> throw known.again();
        case IOException failed -> throw failed;
        case RuntimeException wrong -> throw wrong;
        case null, default -> throw new MillraceException(ErrorCode.NODE, e.toString(), e);
      }
    }
  }

  /** Waits until a transfer touches its memory no more, however it ends. */
  static void settle(CompletableFuture<?> transfer) {
    transfer.handle((_, _) -> true).join();
  }
}
