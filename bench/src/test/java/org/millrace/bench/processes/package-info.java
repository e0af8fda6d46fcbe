/** Tests of the benchmarks of processes; the times are no test. */
@NullMarked
package org.millrace.bench.processes;

import org.jspecify.annotations.NullMarked;
