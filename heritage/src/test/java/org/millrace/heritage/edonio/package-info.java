/** Tests of EDONIO and DONIO. */
@NullMarked
package org.millrace.heritage.edonio;

import org.jspecify.annotations.NullMarked;
