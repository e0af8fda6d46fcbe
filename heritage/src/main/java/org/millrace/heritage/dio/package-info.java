/**
 * Distant I/O (Pacific Northwest and Argonne National Laboratories, 1998) gave every processor of a
 * cluster one-sided access to files on the other processors' disks, without servers of their own.
 * Here the file on processor p's disk is strand p of a file, which any other interface sees as one
 * plain file.
 */
@NullMarked
package org.millrace.heritage.dio;

import org.jspecify.annotations.NullMarked;
