/** Measurements: every number is a ratio to a limit that the same run measured. */
@NullMarked
package org.millrace.bench;

import org.jspecify.annotations.NullMarked;
