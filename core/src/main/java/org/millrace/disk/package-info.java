/**
 * The disk seam, its file, memory and fault-injecting implementations, and the on-disk format of
 * strands. The only package that touches files.
 */
@NullMarked
package org.millrace.disk;

import org.jspecify.annotations.NullMarked;
