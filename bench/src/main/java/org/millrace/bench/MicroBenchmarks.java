package org.millrace.bench;

import java.io.IOException;
import java.io.PrintWriter;

/** Single operations of the core against the limits of the machine. Run by one thread at a time. */
public final class MicroBenchmarks {

  private MicroBenchmarks() {}

  /** Measures, and prints one line per operation with its ratio to the limit. */
  public static void run(PrintWriter out) throws IOException {
    throw new IOException("bench micro is not there yet");
  }
}
