/**
 * Shared Files (Pacific Northwest National Laboratory, 1996-98): a temporary file that every
 * process of a computation reads and writes at any place without waiting, striped over the disks of
 * all processors. ELIO, the device library below it, is what lets a file lie on a file system that
 * all share instead; its path decides.
 */
@NullMarked
package org.millrace.heritage.sharedfiles;

import org.jspecify.annotations.NullMarked;
