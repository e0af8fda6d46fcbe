/** Tests of MPI-IO against naive type maps, byte arrays and the standard's formulas. */
@NullMarked
package org.millrace.heritage.mpiio;

import org.jspecify.annotations.NullMarked;
