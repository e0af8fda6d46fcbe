package org.millrace.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The split collective call that a rank has under way on a file, if any. For the rank's thread. */
final class SplitCall {

  /** Starts a call. */
  interface Start {
    CompletableFuture<Long> run() throws IOException;
  }

  private @Nullable String name;
  private @Nullable CompletableFuture<Long> future;

  void begin(String call, Start start) throws IOException {
    if (name != null) {
      throw new IllegalStateException(
          call + "Begin while " + name + "Begin has not ended: call " + name + "End first");
    }
    future = start.run();
    name = call;
  }

  long end(String call) throws IOException {
    CompletableFuture<Long> ending = future;
    if (ending == null || !call.equals(name)) {
      throw new IllegalStateException(
          call + "End without " + call + "Begin" + (name == null ? "" : ": this is " + name));
    }
    name = null;
    future = null;
    try {
      return ending.join(); // ends: every operation has a deadline of its own
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException io) {
        throw io;
      }
      if (cause instanceof RuntimeException own) {
        throw own;
      }
      throw e;
    }
  }
}
