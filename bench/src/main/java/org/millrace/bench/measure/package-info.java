/**
 * What all benchmarks measure with: laps in turn, series of rates, rows beside a limit or a target,
 * scratch folders, threads and processes to measure in.
 *
 * <p>Every number stands beside a limit that the same run measured, or beside a target. The
 * packages beside this one, low to high, are {@code grid}, {@code micro}, {@code peers}, {@code
 * processes}, {@code papers} and {@code report}; none knows a higher one.
 */
@NullMarked
package org.millrace.bench.measure;

import org.jspecify.annotations.NullMarked;
