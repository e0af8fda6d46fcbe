package org.millrace.bench.measure;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Bytes allocated on the heap by all threads of this JVM. What a virtual thread allocates is
 * counted with its carrier, so this works for ranks, which {@code getThreadAllocatedBytes} does
 * not. No state.
 */
public final class Allocations {

  private Allocations() {}

  /** All bytes so far. */
  public static long total() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getTotalThreadAllocatedBytes();
  }
}
