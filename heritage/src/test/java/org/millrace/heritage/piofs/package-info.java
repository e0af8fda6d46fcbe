/** Tests of PIOFS. */
@NullMarked
package org.millrace.heritage.piofs;

import org.jspecify.annotations.NullMarked;
