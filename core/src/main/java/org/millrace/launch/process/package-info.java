/**
 * What is behind {@link org.millrace.launch}: a process as a rank, and perhaps as a part of the
 * cluster.
 */
@NullMarked
package org.millrace.launch.process;

import org.jspecify.annotations.NullMarked;
