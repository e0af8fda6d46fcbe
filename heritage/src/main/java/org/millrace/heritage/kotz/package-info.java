/**
 * The file system interface that David Kotz proposed for parallel programs (1993): files opened at
 * once by all processes, file pointers seen through mapping functions, logical records, and
 * multifiles, in which every process has a subfile and an end of its own. The two ways to move data
 * that he compared, traditional caching and disk-directed I/O, can be chosen.
 */
@NullMarked
package org.millrace.heritage.kotz;

import org.jspecify.annotations.NullMarked;
