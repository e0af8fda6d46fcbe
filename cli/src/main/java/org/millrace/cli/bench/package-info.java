/** {@code millrace bench}: options and output of the measurements in {@code org.millrace.bench}. */
@NullMarked
package org.millrace.cli.bench;

import org.jspecify.annotations.NullMarked;
