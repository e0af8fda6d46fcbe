package org.millrace.bench.measure;

import java.lang.foreign.Arena;
import org.millrace.env.Env;

/** The operating system's free memory. No state. */
public final class FreeMemory {

  private FreeMemory() {}

  /**
   * Touches memory and gives it back. A guest's free memory may have gone back to its host, and the
   * first who touches it again waits for it: that is nobody's copying, so it is paid for here.
   */
  public static void touch(Env env, long bytes) {
    try (Arena arena = env.largeArena()) {
      arena.allocate(bytes).fill((byte) 1);
    }
  }
}
