package org.millrace.bench.papers;

import java.nio.file.Path;
import java.util.List;
import org.millrace.bench.processes.ProcessesOptions;

/**
 * What {@link EdonioBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param size how much of everything
 * @param only names of tables, {@code 5.1} to {@code 5.5}; all if empty
 */
public record EdonioOptions(Path folder, ProcessesOptions.Size size, List<String> only) {

  /** Checks the names. */
  public EdonioOptions {
    only = List.copyOf(only);
    for (String name : only) {
      if (!EdonioBenchmark.names().contains(name)) {
        throw new IllegalArgumentException(
            "there is no table " + name + ", but " + String.join(", ", EdonioBenchmark.names()));
      }
    }
  }
}
