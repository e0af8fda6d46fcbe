/** Tests of Kotz's interface. */
@NullMarked
package org.millrace.heritage.kotz;

import org.jspecify.annotations.NullMarked;
