/** Tests of what all benchmarks measure with. */
@NullMarked
package org.millrace.bench.measure;

import org.jspecify.annotations.NullMarked;
