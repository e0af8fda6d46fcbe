/**
 * Workloads by strategies: the access patterns of the papers and of IOR, carried out by every
 * strategy, by plain file calls and by a copy that marks the machine's limit. {@link
 * org.millrace.bench.grid.StrategyGrid} runs a suite, {@link org.millrace.bench.grid.IorBenchmark}
 * IOR's loop.
 */
@NullMarked
package org.millrace.bench.grid;

import org.jspecify.annotations.NullMarked;
