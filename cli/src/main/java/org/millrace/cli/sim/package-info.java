/** {@code millrace sim}: options and output of the studies in {@code org.millrace.sim}. */
@NullMarked
package org.millrace.cli.sim;

import org.jspecify.annotations.NullMarked;
