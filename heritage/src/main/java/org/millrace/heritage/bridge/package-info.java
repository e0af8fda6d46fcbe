/**
 * The Bridge multiprocessor file system: a file is rows of blocks, each column on a local file
 * system of its own. It is read as one file, by a job whose controller moves data for all, or
 * column by column.
 */
@NullMarked
package org.millrace.heritage.bridge;

import org.jspecify.annotations.NullMarked;
