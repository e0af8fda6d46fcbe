/** Tests that the single operations are measured; the times are no test. */
@NullMarked
package org.millrace.bench.micro;

import org.jspecify.annotations.NullMarked;
