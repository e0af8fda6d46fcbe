/** Tests of nCUBE's mappings. */
@NullMarked
package org.millrace.heritage.ncube;

import org.jspecify.annotations.NullMarked;
