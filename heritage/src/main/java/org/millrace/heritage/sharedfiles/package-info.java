/**
 * Shared Files (Pacific Northwest National Laboratory, 1996-98): a temporary file that every
 * process of a computation reads and writes at any place without waiting. It lies on a device of
 * ELIO, which its path chooses: a plain file where all processes share the file system, else
 * stripes over components of Distant I/O on the disks of all nodes.
 */
@NullMarked
package org.millrace.heritage.sharedfiles;

import org.jspecify.annotations.NullMarked;
