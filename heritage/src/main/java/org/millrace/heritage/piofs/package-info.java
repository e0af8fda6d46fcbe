/**
 * IBM's PIOFS, the parallel file system of the SP/2: Vesta's files, subfiles and offsets, with a
 * library of its own for groups of tasks that open a file together.
 */
@NullMarked
package org.millrace.heritage.piofs;

import org.jspecify.annotations.NullMarked;
