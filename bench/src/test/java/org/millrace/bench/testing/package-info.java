/** What the tests of the benchmarks share; what they measure is no test. */
@NullMarked
package org.millrace.bench.testing;

import org.jspecify.annotations.NullMarked;
