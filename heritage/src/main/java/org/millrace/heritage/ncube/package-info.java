/**
 * nCUBE's parallel I/O: a file is a matrix, and a mapping of rows, columns, blocks or scattered
 * blocks says which processing element gets which bytes of it. The bit permutation that it used is
 * here, and a view that does not need powers of two.
 */
@NullMarked
package org.millrace.heritage.ncube;

import org.jspecify.annotations.NullMarked;
