package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.measure.Row;
import org.millrace.bench.peers.MpiTools;
import org.millrace.env.Env;

/** A part of {@link ProcessesBenchmark}: a name to choose it by, and rows. */
interface ProcessSection {

  /** By which it is chosen. */
  String name();

  /** How often it reports progress, at most. */
  int steps(Setting setting);

  /** Measures. */
  List<Row> run(Setting setting) throws IOException;

  /**
   * What a section works with. Immutable.
   *
   * @param env time and threads
   * @param dir an empty folder, removed afterwards
   * @param options what was asked for
   * @param sizes how much
   * @param mpi the peers' compilers and launchers, if they are installed
   * @param progress told about each step
   */
  record Setting(
      Env env,
      Path dir,
      ProcessesOptions options,
      ProcessSizes sizes,
      Optional<MpiTools> mpi,
      Runnable progress) {}
}
