/**
 * IBM's Vesta by its own words: a file is an array of basic striping units, as wide as it has
 * cells, and each process opens a subfile of it. With the six modes of its SPMD library.
 */
@NullMarked
package org.millrace.heritage.vesta;

import org.jspecify.annotations.NullMarked;
