/**
 * Distant I/O (Pacific Northwest and Argonne National Laboratories, 1998) gave every processor of a
 * cluster one-sided access to files on the other processors' disks, without servers of their own.
 * Here a registered file has a component for each home processor, each with an end of its own:
 * strands of one Millrace file, one on each node, or the local files of the ranks.
 */
@NullMarked
package org.millrace.heritage.dio;

import org.jspecify.annotations.NullMarked;
