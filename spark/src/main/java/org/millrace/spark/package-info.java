/**
 * Millrace in Spark: ranks as tasks of a barrier stage ({@link org.millrace.spark.MillraceSpark}),
 * and arrays of a cluster as a data source, {@code millrace-array}.
 */
@NullMarked
package org.millrace.spark;

import org.jspecify.annotations.NullMarked;
