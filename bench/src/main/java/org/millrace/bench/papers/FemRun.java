package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.millrace.Cluster;
import org.millrace.bench.measure.DroppedPages;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.fem.EdonioElementFile;
import org.millrace.heritage.fem.ElementFile;
import org.millrace.heritage.fem.Elements;
import org.millrace.heritage.fem.FiniteElements;
import org.millrace.heritage.fem.PfsElementFile;
import org.millrace.heritage.fem.Phases;
import org.millrace.heritage.fem.PlainElementFile;
import org.millrace.heritage.nx.Nx;
import org.millrace.heritage.pfs.Pfs;

/**
 * Runs of the finite-element program on a cluster of so many nodes in this JVM. Between writing and
 * reading the nodes' caches are emptied, because EDONIO's close did that, and the system's page
 * cache is dropped where that is possible.
 *
 * <p>Used by one thread. Closing ends the cluster.
 */
final class FemRun implements AutoCloseable {

  private static final String FILE = "pfs.fem";
  private static final long KILO = 1024;
  private static final long DATA_CACHE_KILOBYTES = 512;
  private static final int PURGED_KILOBYTES = 64;

  private final Cluster cluster;
  private final Path plain;
  private final boolean dropsPages;

  FemRun(Path folder, int nodes, boolean dropsPages) throws IOException {
    this.cluster = Cluster.embedded(folder.resolve("cluster"), nodes, ClusterOptions.DEFAULT);
    this.plain = folder.resolve("plain");
    this.dropsPages = dropsPages && DroppedPages.canDrop();
  }

  /**
   * Writes, reads and checks a grid's file.
   *
   * @param kilobytesPerNode of the nodes' caches
   */
  Phases run(FemWay way, Elements grid, int ranks, long kilobytesPerNode, boolean preload)
      throws IOException {
    List<Phases> phases = new CopyOnWriteArrayList<>(); // rank 0 adds, on its thread
    cluster.run(
        ranks,
        rank -> {
          Phases mine =
              switch (way) {
                case EDONIO -> edonio(rank, grid, kilobytesPerNode, preload);
                case PFS -> {
                  Pfs pfs = Pfs.pfslib_init(rank);
                  yield through(rank, grid, new PfsElementFile(pfs, FILE), kilobytesPerNode);
                }
                case FILE_CHANNEL ->
                    through(
                        rank, grid, new PlainElementFile(new Nx(rank), plain), kilobytesPerNode);
              };
          if (rank.number() == 0) {
            phases.add(mine);
            remove(rank, way);
          }
        });
    return phases.getFirst();
  }

  private Phases edonio(Rank rank, Elements grid, long kilobytes, boolean preload)
      throws IOException {
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(rank.number(), rank.size());
      io.do_csize(DATA_CACHE_KILOBYTES, kilobytes);
      return new FiniteElements(new Nx(rank), grid, new EdonioElementFile(io, FILE))
          .run(
              preload,
              () -> {
                io.do_csize(DATA_CACHE_KILOBYTES, PURGED_KILOBYTES);
                io.do_csize(DATA_CACHE_KILOBYTES, kilobytes);
                dropPages(rank);
              });
    }
  }

  private Phases through(Rank rank, Elements grid, ElementFile file, long kilobytes)
      throws IOException {
    rank.setCacheBytes(kilobytes * KILO);
    return new FiniteElements(new Nx(rank), grid, file)
        .run(
            false,
            () -> {
              rank.setCacheBytes(PURGED_KILOBYTES * KILO);
              rank.setCacheBytes(kilobytes * KILO);
              dropPages(rank);
            });
  }

  private void dropPages(Rank rank) throws IOException {
    rank.barrier();
    if (dropsPages && rank.number() == 0) {
      DroppedPages.drop();
    }
    rank.barrier();
  }

  private void remove(Rank rank, FemWay way) throws IOException {
    if (way == FemWay.FILE_CHANNEL) {
      Files.delete(plain);
    } else {
      rank.names().remove(FILE);
    }
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
