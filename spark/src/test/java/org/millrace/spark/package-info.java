/** Jobs in a cluster of Spark's own: executors are processes. */
@NullMarked
package org.millrace.spark;

import org.jspecify.annotations.NullMarked;
