/** Tests of PIOUS. */
@NullMarked
package org.millrace.heritage.pious;

import org.jspecify.annotations.NullMarked;
