/**
 * Implementations of MPI-IO: finds them, compiles a C program with each, and lets it carry out the
 * workloads of the grid. {@link org.millrace.bench.peers.PeersBenchmark} compares Millrace with
 * them.
 */
@NullMarked
package org.millrace.bench.peers;

import org.jspecify.annotations.NullMarked;
