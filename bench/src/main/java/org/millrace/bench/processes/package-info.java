/**
 * Ranks and nodes in processes of one machine, beside sockets and MPI-IO. {@link
 * org.millrace.bench.processes.ProcessesBenchmark} runs the sections.
 */
@NullMarked
package org.millrace.bench.processes;

import org.jspecify.annotations.NullMarked;
