/** Tests of workloads by strategies; the times that they take are no test. */
@NullMarked
package org.millrace.bench.grid;

import org.jspecify.annotations.NullMarked;
