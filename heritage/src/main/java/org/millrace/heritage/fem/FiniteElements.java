package org.millrace.heritage.fem;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.heritage.nx.Nx;

/**
 * The program: columns of elements are dealt to the ranks in turn; each rank writes its own, column
 * by column, and all are read back and compared. The pointer is set once and then moved on from
 * column to column, as the report's program does.
 *
 * <p>Belongs to the rank's thread; the file is open only while a run lasts.
 */
public final class FiniteElements {

  /** A part of the program that is timed. */
  private interface Phase {
    void run() throws IOException;
  }

  /** What is done with a column whose place the pointer has reached. */
  private interface Column {
    void visit(int ix, int iy) throws IOException;
  }

  // constant after construction
  private final Nx nx;
  private final Elements grid;
  private final ElementFile file;

  /** The program over one grid and one file. */
  public FiniteElements(Nx nx, Elements grid, ElementFile file) {
    this.nx = nx;
    this.grid = grid;
    this.file = file;
  }

  /**
   * Writes the file and reads it back, with all ranks.
   *
   * @throws IOException if what was read is not what was written, or the file says so
   */
  public Phases run(boolean preload) throws IOException {
    return run(preload, () -> {});
  }

  /** What happens between writing and reading, on all ranks; such as emptying caches. */
  public interface Interlude {
    /** Runs; nothing of it is timed. */
    void run() throws IOException;
  }

  /** As {@link #run(boolean)}, with something to do before the file is opened for reading. */
  public Phases run(boolean preload, Interlude interlude) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment mbuf = arena.allocate(grid.columnBytes());
      MemorySegment mbuf2 = arena.allocate(grid.columnBytes());
      double wopen = timed(file::wopen);
      double write = timed(() -> columns((ix, iy) -> write(ix, iy, mbuf)));
      double wclose = timed(file::wclose);
      interlude.run();
      double ropen = timed(file::ropen);
      double preloaded = preload ? timed(file::preload) : 0;
      double read = timed(() -> columns((ix, iy) -> check(ix, iy, mbuf, mbuf2)));
      double rclose = timed(file::rclose);
      return new Phases(wopen, write, wclose, ropen, preloaded, read, rclose);
    }
  }

  private double timed(Phase phase) throws IOException {
    nx.gsync();
    double start = nx.dclock();
    phase.run();
    nx.gsync();
    return nx.dclock() - start;
  }

  /** Goes through this rank's columns in order, and moves the pointer to each. */
  private void columns(Column column) throws IOException {
    long before = 0;
    for (int iy = 1; iy <= grid.ney(); iy++) {
      for (int ix = 1; ix <= grid.nex(); ix++) {
        if (grid.isMine(ix, iy, nx.mynode(), nx.numnodes())) {
          long first = grid.element(ix, iy, 1);
          long elementBytes = (long) Elements.VERTICES * Integer.BYTES;
          if (before == 0) {
            file.seekTo((first - 1) * elementBytes);
          } else {
            file.seekBy((first - before) * elementBytes - grid.columnBytes());
          }
          before = first;
          column.visit(ix, iy);
        }
      }
    }
  }

  private void write(int ix, int iy, MemorySegment mbuf) throws IOException {
    grid.fill(ix, iy, mbuf);
    file.write(mbuf, grid.columnBytes());
  }

  private void check(int ix, int iy, MemorySegment mbuf, MemorySegment expected)
      throws IOException {
    grid.fill(ix, iy, expected);
    file.read(mbuf, grid.columnBytes());
    long wrong = mbuf.mismatch(expected);
    if (wrong >= 0) {
      throw new IOException(
          "%s, node %s: column (%s, %s) differs from byte %s on"
              .formatted(file.name(), nx.mynode(), ix, iy, wrong));
    }
  }
}
