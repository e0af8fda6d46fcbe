/** Tests of the papers' experiments; the times are no test. */
@NullMarked
package org.millrace.bench.papers;

import org.jspecify.annotations.NullMarked;
