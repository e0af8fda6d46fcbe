/** {@code millrace explain}: the plan of a collective call, without a cluster. */
@NullMarked
package org.millrace.cli.explain;

import org.jspecify.annotations.NullMarked;
