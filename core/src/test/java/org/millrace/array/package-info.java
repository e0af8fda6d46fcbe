/** Arrays against naive ones in memory, against NumPy, and against bad input. */
@NullMarked
package org.millrace.array;

import org.jspecify.annotations.NullMarked;
