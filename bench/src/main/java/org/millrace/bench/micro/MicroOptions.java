package org.millrace.bench.micro;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@link MicroBenchmarks} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param quick less of everything, for a first look
 * @param only names of the benchmarks to run; all if empty
 */
public record MicroOptions(Path folder, boolean quick, List<String> only) {

  /** Checks the names. */
  public MicroOptions {
    only = List.copyOf(only);
    for (String name : only) {
      if (!MicroBenchmarks.names().contains(name)) {
        throw new IllegalArgumentException(
            "there is no benchmark "
                + name
                + ", but "
                + String.join(", ", MicroBenchmarks.names()));
      }
    }
  }
}
