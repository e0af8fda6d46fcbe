/**
 * The block cache of a node: what lies between strands and their stores. It keeps blocks in bounded
 * off-heap memory, writes them back late and together, reads them early and together, and leaves
 * all file I/O to its own disk threads.
 */
@NullMarked
package org.millrace.cache;

import org.jspecify.annotations.NullMarked;
