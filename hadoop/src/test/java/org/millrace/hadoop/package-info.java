/** Hadoop's own tests, and its libraries, on files of a cluster. */
@NullMarked
package org.millrace.hadoop;

import org.jspecify.annotations.NullMarked;
