package org.millrace.heritage.mpiio;

/** How a dimension of {@link Datatype#createDarray} is dealt out, in HPF's words. */
public enum Distrib {
  /** MPI_DISTRIBUTE_NONE: not at all; the grid has one rank along it. */
  NONE,
  /** MPI_DISTRIBUTE_BLOCK: one block for each rank. */
  BLOCK,
  /** MPI_DISTRIBUTE_CYCLIC: blocks in turn. */
  CYCLIC
}
