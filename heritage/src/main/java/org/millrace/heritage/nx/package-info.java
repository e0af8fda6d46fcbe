/**
 * NX was the operating system library of Intel's iPSC and Paragon: numbered nodes, typed messages
 * and global operations. Here is as much of it as the programs of EDONIO and PFS need, over the
 * operations of a rank's group.
 */
@NullMarked
package org.millrace.heritage.nx;

import org.jspecify.annotations.NullMarked;
