/** The command {@code trace}: the timeline of a recorded run, rank by rank, as a page. */
@NullMarked
package org.millrace.cli.trace;

import org.jspecify.annotations.NullMarked;
