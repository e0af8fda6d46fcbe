/**
 * Measurements: every number stands beside a limit that the same run measured, or beside a target.
 * {@link org.millrace.bench.MicroBenchmarks} measures single operations.
 */
@NullMarked
package org.millrace.bench;

import org.jspecify.annotations.NullMarked;
