package org.millrace.bench.papers;

import java.nio.file.Path;
import java.util.List;
import org.millrace.bench.processes.ProcessesOptions;

/**
 * What {@link DioBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param size how much of everything
 * @param only names of media, {@code cached} and {@code disk}; both if empty
 */
public record DioOptions(Path folder, ProcessesOptions.Size size, List<String> only) {

  /** Checks the names. */
  public DioOptions {
    only = List.copyOf(only);
    for (String name : only) {
      if (!DioBenchmark.names().contains(name)) {
        throw new IllegalArgumentException(
            "there is no " + name + ", but " + String.join(", ", DioBenchmark.names()));
      }
    }
  }
}
